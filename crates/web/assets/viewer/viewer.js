'use strict';
// Makes the blocks, the controls and the outputs in a container work. Called again for other contents, it
// lets go of those before.
let blocksShown = null;
const showBlocks = container => {
  blocksShown?.abort();
  blocksShown = new AbortController();
  const { signal } = blocksShown;

  // Outputs become tabs (WAI-ARIA: arrows move, the tab stop is the one selected).
  const outputs = Array.from(container.querySelectorAll('.output'));
  if (outputs.length > 1) {
    const list = document.createElement('div');
    list.className = 'tabs';
    list.setAttribute('role', 'tablist');
    list.setAttribute('aria-label', 'What comes out');
    const tabs = outputs.map(output => {
      const tab = document.createElement('button');
      tab.type = 'button';
      tab.id = `${output.id}-tab`;
      tab.textContent = output.dataset.name;
      tab.setAttribute('role', 'tab');
      tab.setAttribute('aria-controls', output.id);
      output.setAttribute('role', 'tabpanel');
      output.setAttribute('aria-labelledby', tab.id);
      output.querySelector('h2').hidden = true;
      list.append(tab);
      return tab;
    });
    const select = at => {
      tabs.forEach((tab, number) => {
        tab.setAttribute('aria-selected', String(number === at));
        tab.tabIndex = number === at ? 0 : -1;
        outputs[number].hidden = number !== at;
      });
      showBlocks.output = outputs[at].id;
    };
    list.addEventListener('click', event => {
      const at = tabs.indexOf(event.target);
      if (at >= 0) select(at);
    });
    list.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const at = (tabs.indexOf(event.target) + step + tabs.length) % tabs.length;
      select(at);
      tabs[at].focus();
      event.preventDefault();
    });
    outputs[0].before(list);
    select(Math.max(0, outputs.findIndex(output => output.id === showBlocks.output)));
  }

  const form = container.querySelector('#controls');
  if (!form) return;
  form.hidden = false;
  // What was chosen for the contents before holds for these.
  for (const [name, value] of Object.entries(showBlocks.chosen ?? {})) form.elements[name].value = value;
  const bar = container.querySelector('#bar');
  const blocks = Array.from(container.querySelectorAll('.b'), node => ({
    node,
    probability: Number(node.style.getPropertyValue('--p')),
    kept: node.classList.contains('k'),
    text: null,
  }));
  const runs = Array.from(container.querySelectorAll('.run'), node => ({
    node,
    blocks: [],
  }));
  const runOf = new Map(runs.map(run => [run.node, run]));
  for (const block of blocks) runOf.get(block.node.parentElement)?.blocks.push(block);
  let kept = blocks.filter(block => block.kept);

  const shows = {
    all: () => true,
    kept: block => block.kept,
    dropped: block => !block.kept,
    uncertain: block => block.probability >= 0.2 && block.probability <= 0.8,
  };
  const textOf = block => block.text ??= block.node.querySelector('.t').textContent.toLowerCase();

  const filter = () => {
    const { show, least, words } = form.elements;
    showBlocks.chosen = { show: show.value, least: least.value, words: words.value };
    const [is, from, wanted] = [shows[show.value], Number(least.value), words.value.trim().toLowerCase()];
    const shown = blocks.filter(block =>
      is(block) && block.probability >= from && (!wanted || textOf(block).includes(wanted)));
    const seen = new Set(shown);
    for (const block of blocks) block.node.hidden = !seen.has(block);
    // What is asked for is not left folded.
    const asked = show.value !== 'all' || from > 0 || wanted !== '';
    for (const run of runs) {
      run.node.hidden = !run.blocks.some(block => seen.has(block));
      run.node.open = asked && !run.node.hidden;
    }
    kept = shown.filter(block => block.kept);
    document.getElementById('from').value = from.toFixed(2);
    document.getElementById('count').value = `${shown.length} of ${blocks.length} blocks`;
  };
  let waiting;
  form.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 120);
  });
  form.addEventListener('submit', event => event.preventDefault());

  // Kept blocks stand one below the other, so the first below the bar is found by halving.
  const firstBelow = line => {
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (kept[middle].node.getBoundingClientRect().top > line) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  let current = null;
  const jump = step => {
    const line = Math.max(0, bar.getBoundingClientRect().bottom);
    // A jump that smooth scrolling has not finished counts from where it goes.
    const from = current && Date.now() - current.time < 800 ? kept.indexOf(current.block) : -1;
    const at = from >= 0 ? from + step : step > 0 ? firstBelow(line + 12) : firstBelow(line - 2) - 1;
    if (!kept[at]) return;
    current = { block: kept[at], time: Date.now() };
    kept[at].node.scrollIntoView();
  };
  document.getElementById('next').addEventListener('click', () => jump(1));
  document.getElementById('back').addEventListener('click', () => jump(-1));

  // A bar of the strip leads to its block even when a filter hides it.
  bar.addEventListener('click', event => {
    const link = event.target.closest('a');
    const node = link && container.querySelector(link.getAttribute('href'));
    if (node && node.hidden) {
      form.reset();
      filter();
    }
    const run = node && node.closest('.run');
    if (run) run.open = true;
  });
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('[type=search], [type=url], [type=password], textarea, select, [role=tab]')) return;
    if (event.key === 'n') jump(1);
    else if (event.key === 'p') jump(-1);
    else if (event.key === '/') {
      event.preventDefault();
      form.elements.words.focus();
    }
  }, { signal });
  // Jumps stop below the bar, whose height changes with the width of the window.
  const measure = () => document.documentElement.style.setProperty('--bar', getComputedStyle(bar).position === 'sticky' ? `${bar.offsetHeight}px` : '0px');
  window.addEventListener('resize', measure, { signal });
  measure();
  filter();
};
