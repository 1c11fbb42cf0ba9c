'use strict';
(() => {
  const by = id => document.getElementById(id);
  const view = by('view');
  const example = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>The mill at the river | Valley News</title></head><body>
<header><a href="/">Valley News</a>
<nav><a href="/local">Local</a> <a href="/sport">Sport</a> <a href="/weather">Weather</a></nav></header>
<p class="cookie">We use cookies to make this site better. <a href="/privacy">Read more</a> <button>Accept</button></p>
<article><h1>The mill at the river</h1><p class="byline">By Ada Miller, 3 May 2024</p>
<p>The mill stands by the river, and its wheel has turned there for two hundred years, in wet years and in dry ones. Nobody
knows who built it, though a stone above the door bears a date that most visitors take for 1794.</p>
<p>This spring the village bought it from the last owner, who had kept the stones running as a hobby since the bakery closed.
“I could not let the wheel stand still,” he says, and he shows how the sluice is opened with one hand.</p>
<h2>What comes next</h2>
<p>From June on there will be tours on Saturdays, and flour can be bought at the door. The council hopes that the entrance fee
will pay for a new roof within five years.</p></article>
<aside><h3>Most read</h3><ul><li><a href="/1">Ten recipes for summer</a><li><a href="/2">Bridge closed again</a>
<li><a href="/3">Market moves to Sunday</a></ul></aside>
<section class="comments"><h3>2 comments</h3><div class="comment"><b>Jo</b><p>My grandmother bought her flour there!</p></div>
<div class="comment"><b>Lee</b><p>Looking forward to the tours, we will come with the children.</p></div></section>
<footer>© 2024 Valley News. All rights reserved. <a href="/imprint">Imprint</a></footer></body></html>`;

  // What is shown: the bytes of a page, or the id of a document of the index.
  let page = null;
  let result = null;
  let about = { models: [], indexed: null };
  let running = null;

  const say = (text, isError = false) => {
    by('status').textContent = text;
    by('status').classList.toggle('error', isError);
  };

  const ask = async (path, options = {}) => {
    const headers = {};
    if (by('token').value) headers.Authorization = `Bearer ${by('token').value}`;
    const response = await fetch(path, { ...options, headers });
    if (response.ok) return response.json();
    if (response.status === 401) {
      by('access').hidden = false;
      by('token').focus();
    }
    const problem = await response.json().catch(() => ({ detail: response.statusText }));
    throw new Error(problem.detail);
  };

  const show = async () => {
    if (!page) return say('Nothing to show yet: paste a page or choose a file.', true);
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    const query = new URLSearchParams({ comments: by('comments').value, headline: by('headline').value });
    if (by('model').value) query.set('model', by('model').value);
    if (by('own').checked) query.set('threshold', by('threshold').value);
    if (page.id) query.set('id', page.id);
    else if (by('url').value.trim()) query.set('url', by('url').value.trim());
    view.setAttribute('aria-busy', 'true');
    try {
      const seen = window.scrollY;
      const answer = await ask(`/inspect?${query}`, { method: 'POST', body: page.body, signal });
      result = answer;
      // Made by the service, which escapes all that is of the page.
      view.innerHTML = answer.html;
      showBlocks(view);
      window.scrollTo(0, seen);
      by('downloads').hidden = false;
      say(`Judged in ${answer.milliseconds.toFixed(1)} ms by ${by('model').value}`
        + `${by('own').checked ? `, kept from ${(by('threshold').value / 100).toFixed(2)}` : ''}.`);
    } catch (error) {
      if (error.name === 'AbortError') return;
      say(error.message, true);
    } finally {
      if (!signal.aborted) view.removeAttribute('aria-busy');
    }
  };
  let waiting;
  const soon = (delay = 120) => {
    clearTimeout(waiting);
    waiting = setTimeout(show, delay);
  };

  // Tabs: where the page comes from.
  const tabs = Array.from(document.querySelectorAll('#source [role=tab]'));
  const select = tab => {
    for (const other of tabs) {
      const isSelected = other === tab;
      other.setAttribute('aria-selected', String(isSelected));
      other.tabIndex = isSelected ? 0 : -1;
      by(other.getAttribute('aria-controls')).hidden = !isSelected;
    }
    by('url-label').hidden = tab.id === 'tab-search';
  };
  for (const tab of tabs) {
    tab.addEventListener('click', () => select(tab));
    tab.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const there = tabs.filter(other => !other.hidden);
      const next = there[(there.indexOf(tab) + step + there.length) % there.length];
      select(next);
      next.focus();
      event.preventDefault();
    });
  }

  // Paste. The mark at the start says that these are characters, whatever the page says of its charset.
  const pasted = () => {
    const text = by('html').value;
    page = text.trim() ? { body: new Blob(['\ufeff', text]) } : null;
  };
  by('html').addEventListener('input', () => {
    pasted();
    if (page) soon(300);
  });
  by('example').addEventListener('click', () => {
    by('html').value = example;
    pasted();
    show();
  });

  // File.
  const choose = file => {
    if (!file) return;
    page = { body: file };
    by('file-name').textContent = `${file.name}, ${file.size.toLocaleString('en')} bytes`;
    show();
  };
  by('file').addEventListener('change', event => choose(event.target.files[0]));
  const drop = document.querySelector('.drop');
  document.addEventListener('dragover', event => {
    event.preventDefault();
    drop.classList.add('over');
  });
  document.addEventListener('dragleave', () => drop.classList.remove('over'));
  document.addEventListener('drop', event => {
    event.preventDefault();
    drop.classList.remove('over');
    if (event.dataTransfer.files.length) {
      select(by('tab-file'));
      choose(event.dataTransfer.files[0]);
    }
  });

  // Search.
  let searched = { query: {}, offset: 0 };
  const element = (name, text) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  // The address of a page of the web as a link, and of others as text.
  const address = found => {
    const link = element(/^https?:/.test(found.url ?? '') ? 'a' : 'small', found.url ?? found.id);
    if (link.localName === 'a') Object.assign(link, { href: found.url, target: '_blank', rel: 'noopener noreferrer' });
    return link;
  };
  const hit = found => {
    const button = element('button');
    button.type = 'button';
    button.append(element('b', found.title ?? 'Without a title'));
    const snippet = element('span');
    for (const piece of found.snippet) snippet.append(piece.hit ? element('mark', piece.text) : piece.text);
    button.append(snippet);
    button.addEventListener('click', () => open(found, button));
    const item = element('li');
    item.append(button, address(found));
    return item;
  };
  const open = async (found, button) => {
    for (const other of by('hits').querySelectorAll('button')) other.removeAttribute('aria-current');
    button.setAttribute('aria-current', 'true');
    try {
      const stored = await ask(`/stored?${new URLSearchParams({ id: found.id })}`);
      if (stored.page) {
        page = { id: found.id };
        await show();
      } else {
        page = null;
        result = { text: stored.text, markdown: stored.text, document: stored };
        const head = element('header');
        head.className = 'page';
        head.append(element('h1', stored.title ?? 'Without a title'), element('p', stored.url ?? stored.id));
        const text = element('p', stored.text);
        text.className = 'stored';
        text.dir = 'auto';
        if (stored.lang) text.lang = stored.lang;
        view.replaceChildren(head, text);
        by('downloads').hidden = false;
        say('The text of the index. Its archive is not at hand, so there are no blocks to look at.');
      }
      view.focus({ preventScroll: true });
      view.scrollIntoView({ block: 'start' });
    } catch (error) {
      say(error.message, true);
    }
  };
  const find = async offset => {
    const wanted = { q: by('words').value.trim(), site: by('site').value.trim(), lang: by('lang').value.trim() };
    const query = offset ? searched.query : Object.fromEntries(Object.entries(wanted).filter(([, value]) => value));
    if (!query.q) return;
    try {
      const answer = await ask(`/search?${new URLSearchParams({ ...query, offset })}`);
      searched = { query, offset: offset + answer.hits.length };
      if (!offset) by('hits').replaceChildren();
      by('hits').append(...answer.hits.map(hit));
      by('found').textContent = answer.documents === 1 ? '1 document found' : `${answer.documents.toLocaleString('en')} documents found`;
      by('more').hidden = !answer.hits.length || searched.offset >= answer.documents;
    } catch (error) {
      by('hits').replaceChildren();
      by('more').hidden = true;
      by('found').textContent = error.message;
    }
  };
  by('find').addEventListener('click', () => find(0));
  by('more').addEventListener('click', () => find(searched.offset));
  for (const id of ['words', 'site', 'lang']) {
    by(id).addEventListener('keydown', event => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      find(0);
    });
  }

  // Options act at once on what is shown.
  const percent = () => {
    by('threshold').disabled = !by('own').checked;
    by('percent').value = by('own').checked ? `≥ ${(by('threshold').value / 100).toFixed(2)}` : 'model';
  };
  for (const id of ['model', 'comments', 'headline', 'own']) {
    by(id).addEventListener('change', () => {
      percent();
      if (page) soon(0);
    });
  }
  by('threshold').addEventListener('input', () => {
    percent();
    if (page) soon();
  });
  by('url').addEventListener('change', () => page && soon(0));
  by('source').addEventListener('submit', event => {
    event.preventDefault();
    if (!by('access').hidden) start();
    // On a narrow screen what is shown stands far below.
    show().then(() => window.innerWidth < 640 && by('status').scrollIntoView());
  });

  // Downloads.
  const forms = {
    json: () => [JSON.stringify(result.document, null, 2) + '\n', 'application/json'],
    md: () => [result.markdown, 'text/markdown'],
    txt: () => [result.text + '\n', 'text/plain'],
  };
  by('downloads').addEventListener('click', event => {
    const kind = event.target.dataset.kind;
    if (!kind || !result) return;
    const [text, type] = forms[kind]();
    const link = element('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = `page.${kind}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });

  const start = async () => {
    try {
      about = await ask('/about');
      const chosen = by('model').value;
      by('model').replaceChildren(...about.models.map(name => new Option(name, name, false, name === chosen)));
      if (about.indexed !== null) {
        by('tab-search').hidden = false;
        // Whoever serves an index comes to search in it, unless a page is shown already.
        if (!page) {
          select(by('tab-search'));
          say('Search the index, or choose a page.');
        }
        by('found').textContent = `${about.indexed.toLocaleString('en')} documents in the index`;
      }
      by('access').hidden = !by('token').value;
    } catch (error) {
      say(error.message, true);
    }
  };
  percent();
  start();
})();
