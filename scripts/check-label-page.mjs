// Drives the page of `trommel label` in headless Chromium and takes screenshots of it.
//
//     npm install playwright-core && node scripts/check-label-page.mjs URL GOLD.jsonl.gz [FOLDER]
//
// URL is that of a running `trommel label` over an archive of at least four pages without labels, GOLD the
// file that it writes. Fails if anything on the page does not do what it says.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import zlib from 'node:zlib';

import { begin, launch, looks, nameless, shot, tooWide } from './browser.mjs';

const [url, gold, folder = '.'] = process.argv.slice(2);
const browser = await launch();
const lines = () => zlib.gunzipSync(fs.readFileSync(gold)).toString().trim().split('\n').map(line => JSON.parse(line));
let labelled = 0;
for (const [name, options] of looks) {
  // In the frame everything that the policy forbids is an error on the console.
  const { context, page, faults, framed } = await begin(browser, options, url, /\/original\b|^Framing '/);
  const says = (id, pattern) => page.waitForFunction(([id, pattern]) =>
    new RegExp(pattern).test(document.getElementById(id).textContent), [id, pattern]);
  await page.goto(url);
  await says('state', 'proposed');
  await says('progress', `${labelled} labelled`);
  const title = await page.locator('#page').textContent();
  await shot(page, folder, `label-${name}`);
  const bar = await page.locator('#bar').boundingBox();
  assert.ok(bar.height < options.viewport.height / 3, `the bar takes ${bar.height} pixels`);

  // The page itself stands beside its blocks, in a frame that can do nothing.
  const frame = page.locator('#frame');
  if (name !== 'phone') {
    assert.equal(await frame.getAttribute('sandbox'), '');
    const inside = page.frameLocator('#frame');
    const words = (await page.locator('#blocks .b.gold .text').first().textContent()).trim().split(/\s+/).slice(0, 4).join(' ');
    await inside.getByText(words).first().waitFor({ state: 'attached' });
    const [blocks, shown] = [await page.locator('#blocks').boundingBox(), await frame.boundingBox()];
    assert.ok(shown.x >= blocks.x + blocks.width && shown.width > 400 && shown.height > 400, JSON.stringify([blocks, shown]));
    await page.evaluate(() => { document.getElementById('more').open = true; });
    await page.locator('#beside').uncheck();
    assert.equal(await frame.isVisible(), false);
    await page.locator('#beside').check();
  }
  assert.equal(await frame.isVisible(), name !== 'phone');

  // A role by its letter, a block by a click; the same click takes it away.
  const comment = page.locator('#roles button', { hasText: 'comment' });
  await page.keyboard.press((await comment.textContent()).match(/\((.)\)/)[1]);
  assert.equal(await comment.getAttribute('aria-pressed'), 'true');
  const role = number => page.locator('#blocks > *').nth(number).locator('.role').textContent();
  const count = await page.locator('#blocks > *').count();
  assert.ok(count > 4, `${count} blocks`);
  const first = page.locator('#blocks > *').first();
  await first.click();
  assert.equal(await role(0), 'comment');
  await says('state', 'not saved');
  await first.click();
  assert.equal(await role(0), 'other');
  // By keyboard, and a range.
  await first.focus();
  await page.keyboard.press(' ');
  assert.equal(await role(0), 'comment');
  await page.locator('#blocks > *').nth(2).click({ modifiers: ['Shift'] });
  assert.deepEqual([await role(1), await role(2)], ['comment', 'comment']);
  // Only what is chosen is shown.
  await page.evaluate(() => { document.getElementById('more').open = true; });
  await page.locator('#hide').check();
  assert.equal(await page.locator('.b.dropped:visible').count(), 0);
  assert.ok(await page.locator('.b.comments:visible').count() >= 3);
  await page.locator('#hide').uncheck();
  await page.locator('#note').fill(`seen in ${name}`);
  await shot(page, folder, `label-${name}-chosen`);

  await page.locator('#save').click();
  labelled += 1;
  await says('progress', `${labelled} labelled`);
  assert.notEqual(await page.locator('#page').textContent(), title);
  assert.equal(lines().filter(line => line.note === `seen in ${name}`).length, 1);
  // Back to what was saved, and what is not saved is not left without a question.
  await page.locator('#back').click();
  await says('state', '^labelled');
  assert.deepEqual([await role(0), await role(2)], ['comment', 'comment']);
  await page.locator('#blocks > *').nth(3).click();
  const asked = page.waitForEvent('dialog').then(dialog => dialog.dismiss());
  await page.locator('#skip').click();
  await asked;
  assert.equal(await page.locator('#page').textContent(), title);

  assert.ok(await tooWide(page) <= 0, 'sideways scrolling');
  assert.deepEqual(await nameless(page), []);
  assert.deepEqual(faults, []);
  // What the page asked for beside itself has not left the browser.
  assert.deepEqual(framed.filter(request => request.failure()?.errorText !== 'csp').map(request => request.url()), []);
  assert.ok(framed.length > 0 || name === 'phone');
  page.on('dialog', dialog => dialog.accept());
  await context.close();
  console.log(`${name}: as it should be`);
}
await browser.close();
