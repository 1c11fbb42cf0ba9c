// Drives the page of `trommel serve` in headless Chromium and takes screenshots of it.
//
//     npm install playwright-core && node scripts/check-service-page.mjs URL [FOLDER]
//
// URL is that of a running service, with --index for the part that searches (WORDS of the environment
// says for what). CHROMIUM names the browser (default: /usr/bin/chromium). Fails if anything on the page
// does not do what it says.
import assert from 'node:assert/strict';
import fs from 'node:fs';

import { begin, launch, looks, nameless, shot as picture, tooWide } from './browser.mjs';

const [url, folder = '.'] = process.argv.slice(2);
const words = process.env.WORDS ?? 'the';
const browser = await launch();
const shot = (page, name) => picture(page, folder, name);
for (const [name, options] of looks) {
  const { context, page, faults } = await begin(browser, options, url);
  const done = () => page.waitForFunction(() => /^Judged/.test(document.getElementById('status').textContent)
    && !document.getElementById('view').hasAttribute('aria-busy'));
  const kept = () => page.locator('.b.k').count();

  // Only the keyboard from here to the first result.
  await page.goto(url);
  await page.waitForFunction(() => document.getElementById('model').options.length > 0);
  await shot(page, `${name}-start`);
  const about = await (await page.request.get(`${url}/about`)).json();
  const opensOn = await page.locator('#source [aria-selected=true]').textContent();
  assert.equal(opensOn, about.indexed === null ? 'Paste' : 'Search');
  await page.locator('#tab-paste').click();
  await page.locator('#html').focus();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'example');
  await page.keyboard.press('Enter');
  await done();
  assert.match(await page.locator('#view h1').textContent(), /mill/);
  const first = await kept();
  assert.ok(first > 2, `${first} blocks kept`);
  assert.match(await page.locator('#out-text').textContent(), /The mill stands by the river/);
  assert.doesNotMatch(await page.locator('#out-text').textContent(), /cookies/);
  await shot(page, `${name}-page`);

  // No sideways scrolling.
  const wide = await tooWide(page);
  assert.ok(wide <= 0, `${wide} pixels too wide`);

  // Threshold, live.
  await page.locator('#own').check();
  await page.locator('#threshold').fill('0');
  await page.waitForFunction(before => document.querySelectorAll('.b.k').length > before, first);
  assert.equal(await page.locator('.b.d').count(), 0, 'all is kept from 0 on');
  await page.locator('#threshold').fill('100');
  await page.waitForFunction(() => document.querySelectorAll('.b.k').length === 0);
  await page.locator('#own').uncheck();
  await page.waitForFunction(before => document.querySelectorAll('.b.k').length === before, first);

  // Model, live.
  await page.locator('#model').selectOption('lite');
  await page.waitForFunction(() => /by lite/.test(document.getElementById('status').textContent));
  assert.match(await page.locator('#view dl').textContent(), /lite of/);

  // Headline, live.
  const starts = (text, is) => page.waitForFunction(([start, wanted]) =>
    document.querySelector('#out-text pre').textContent.startsWith(start) === wanted, [text, is]);
  await page.locator('#headline').selectOption('include');
  await starts('The mill at the river', true);
  await page.locator('#headline').selectOption('exclude');
  await starts('The mill at the river', false);

  // Outputs as tabs, by keyboard.
  await page.locator('#out-text-tab').focus();
  await page.keyboard.press('ArrowRight');
  assert.ok(await page.locator('#out-markdown').isVisible());
  assert.match(await page.locator('#out-markdown').textContent(), /## What comes next/);

  // Reasons of a block.
  const why = page.locator('.b.k .why').first();
  await why.locator('summary').first().click();
  assert.match(await why.locator('.sum').textContent(), /✓/);
  await why.scrollIntoViewIfNeeded();
  await shot(page, `${name}-why`);

  // Download.
  const [download] = await Promise.all([
    page.waitForEvent('download'), page.locator('#downloads [data-kind=json]').click(),
  ]);
  const saved = JSON.parse(fs.readFileSync(await download.path(), 'utf8'));
  assert.equal(saved.title, 'The mill at the river');
  assert.ok(saved.confidence > 0.5);

  // A file, whose bytes say their own charset.
  await page.locator('#tab-file').click();
  const latin = Buffer.from('<meta charset=windows-1252><h1>Caf\xe9</h1><p>Das Caf\xe9 am Flu\xdf, wo man im Sommer drau\xdfen sitzt.', 'latin1');
  await page.locator('#file').setInputFiles({ name: 'cafe.html', mimeType: 'text/html', buffer: latin });
  await page.waitForFunction(() => /Café/.test(document.querySelector('#view h1')?.textContent));
  await done();
  assert.match(await page.locator('#view .blocks').textContent(), /draußen/);

  // Search, by keyboard.
  if (about.indexed !== null) {
    await page.locator('#tab-search').click();
    await page.locator('#words').fill(words);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /found/.test(document.getElementById('found').textContent));
    assert.ok(await page.locator('#hits mark').count() > 0, 'words are marked');
    await shot(page, `${name}-search`);
    const link = await page.locator('#hits a').first().getAttribute('href');
    assert.match(link, /^https?:/);
    const { host } = new URL(link);
    await page.locator('#site').fill(host);
    await page.keyboard.press('Enter');
    const hosts = links => links.map(link => new URL(link.href).host);
    await page.waitForFunction(host => [...document.querySelectorAll('#hits a')].every(link => link.host === host), host);
    assert.ok((await page.locator('#hits a').evaluateAll(hosts)).length > 0, 'a site has its pages');
    await page.locator('#lang').fill('xx');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /^0 /.test(document.getElementById('found').textContent));
    await page.locator('#lang').fill('');
    await page.keyboard.press('Enter');
    await page.locator('#hits b').first().waitFor();
    const title = await page.locator('#hits b').first().textContent();
    await page.locator('#hits button').first().click();
    await page.waitForFunction(() => document.getElementById('hits').querySelector('[aria-current]'));
    await page.waitForFunction(wanted => document.querySelector('#view h1')?.textContent === wanted, title);
    await shot(page, `${name}-found`);
    if (about.archives) assert.ok(await page.locator('#view .b').count() > 5, 'the archived page has blocks');
  }

  // What a screen reader has to go by.
  assert.deepEqual(await nameless(page), []);
  assert.deepEqual(faults, []);
  await context.close();
  console.log(`${name}: as it should be`);
}
await browser.close();
