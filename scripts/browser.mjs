// What the scripts share that drive pages in headless Chromium, by playwright-core of the current folder.
// CHROMIUM names the browser (default: /usr/bin/chromium).
import { createRequire } from 'node:module';
import path from 'node:path';

const { chromium } = createRequire(path.resolve('x.js'))('playwright-core');

/** How a page is looked at. */
export const looks = [
  ['light', { colorScheme: 'light', viewport: { width: 1360, height: 900 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1360, height: 900 } }],
  ['phone', { colorScheme: 'light', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
];

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

/** A page of its own, and what goes wrong on it: errors, except in frames with such an address, and requests to anywhere
 * but `url`. Requests of such frames are in `framed`. */
export async function begin(browser, options, url, frames = /^$/) {
  const context = await browser.newContext({ ...options, acceptDownloads: true });
  const page = await context.newPage();
  const [faults, framed] = [[], []];
  page.on('pageerror', error => faults.push(String(error)));
  const isOfFrame = message => frames.test(message.location().url) || frames.test(message.text());
  page.on('console', message => message.type() === 'error' && !isOfFrame(message) && faults.push(message.text()));
  page.on('request', request => {
    if (request.url().startsWith(url) || /^(data|blob):/.test(request.url())) return;
    if (frames.test(request.headers().referer ?? '') || frames.test(request.frame().url())) framed.push(request);
    else faults.push(request.url());
  });
  return { context, page, faults, framed };
}

/** A picture, once nothing scrolls any more. */
export async function shot(page, folder, name) {
  await page.evaluate(() => new Promise(done => {
    let before = -1;
    const look = () => {
      if (window.scrollY === before) return done();
      before = window.scrollY;
      setTimeout(look, 100);
    };
    look();
  }));
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

/** Pixels by which the page is wider than its window. */
export const tooWide = page =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Controls that have no name for a screen reader. */
export const nameless = page => page.evaluate(() => Array.from(document.querySelectorAll('button, input, select, textarea'))
  .filter(node => !(node.labels?.length || node.textContent.trim() || node.getAttribute('aria-label'))).map(node => node.id || node.outerHTML));
