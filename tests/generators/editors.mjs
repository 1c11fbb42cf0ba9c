// Writes a page's Markdown as the block editors and exporters of content stores write it.
// usage: node editors.mjs NAME FILE.md
import {readFileSync} from 'fs';
import {createRequire} from 'module';
import {unified} from 'unified';
import remarkParse from 'remark-parse';
import remarkGfm from 'remark-gfm';
import {remark} from 'remark';
import remarkHtml from 'remark-html';

const [, , name, file] = process.argv;
const text = readFileSync(file, 'utf8');
const tree = unified().use(remarkParse).use(remarkGfm).parse(text);
const html = String(await remark().use(remarkGfm).use(remarkHtml, {sanitize: false}).process(text));

// The runs of a block's text: [{text, marks, href}].
const runs = (node, marks = [], href) => (node.children ?? [node]).flatMap((own) => {
  const mark = {strong: 'bold', emphasis: 'italic', delete: 'strike'}[own.type];
  if (own.type === 'inlineCode') return [{text: own.value, marks: [...marks, 'code'], href}];
  if (own.type === 'link') return runs(own, marks, own.url);
  return own.children ? runs(own, mark ? [...marks, mark] : marks, href) : [{text: own.value ?? '', marks, href}];
});
const plain = (node) => runs(node).map((run) => run.text).join('');
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const TAGS = {bold: 'b', italic: 'i', strike: 's', code: 'code'};
const inlineHtml = (node) => runs(node).map(({text, marks, href}) => {
  const own = marks.reduce((inner, mark) => `<${TAGS[mark]}>${inner}</${TAGS[mark]}>`, escaped(text));
  return href ? `<a href="${href}">${own}</a>` : own;
}).join('');
// Text, and from where to where which mark and link goes.
const spans = (node) => {
  let at = 0;
  return runs(node).flatMap(({text, marks, href}) => {
    const [start, end] = [at, at += text.length];
    return [...marks.map((mark) => ({start, end, mark})), ...(href ? [{start, end, href}] : [])];
  });
};
// The items of nested lists, flat: [{item, ordered, level}].
const items = (list, level = 0) => list.children.flatMap((item) => [
  {item: item.children[0], ordered: !!list.ordered, level}, ...item.children.slice(1).filter((own) => own.type === 'list').flatMap((own) => items(own, level + 1)),
]);

async function dom() {
  const {JSDOM} = await import('jsdom');
  const own = new JSDOM(`<!DOCTYPE html><html><head></head><body>${html}</body></html>`, {pretendToBeVisual: true, url: 'https://example.org/'});
  for (const key of Object.getOwnPropertyNames(own.window)) {
    if (!(key in globalThis)) try { globalThis[key] = own.window[key]; } catch { /* not ours */ }
  }
  globalThis.window = own.window;
  globalThis.document = own.window.document;
  own.window.matchMedia = globalThis.matchMedia = () => ({matches: false, addListener() {}, addEventListener() {}});
  own.window.requestIdleCallback = globalThis.requestIdleCallback = (run) => setTimeout(run, 0);
  globalThis.ResizeObserver = own.window.ResizeObserver = class { observe() {} disconnect() {} };
  return own;
}

// A document in the tree of ProseMirror, with the names of nodes and marks that a store gives them.
function proseMirror(names) {
  const inline = (node) => runs(node).filter((run) => run.text).map(({text, marks, href}) => ({
    type: 'text', text, marks: [...marks.map((type) => ({type})), ...(href ? [{type: 'link', attrs: {href, linktype: 'url'}}] : [])],
  }));
  const block = (node) => {
    const content = () => node.children.map(block);
    switch (node.type) {
      case 'heading': return {type: 'heading', attrs: {level: node.depth}, content: inline(node)};
      case 'paragraph': return {type: 'paragraph', content: inline(node)};
      case 'list': return {type: node.ordered ? names.ordered : names.bullet, attrs: {order: 1}, content: content()};
      case 'listItem': return {type: names.item, content: content()};
      case 'blockquote': return {type: 'blockquote', content: content()};
      case 'code': return {type: names.code, attrs: {class: `language-${node.lang}`, language: node.lang}, content: [{type: 'text', text: node.value}]};
      case 'table': return {type: 'table', content: node.children.map((row, at) => ({type: names.row, content: row.children.map((cell) => ({
        type: at ? names.cell : names.header, attrs: {}, content: [{type: 'paragraph', content: inline(cell)}]}))}))};
    }
  };
  return {type: 'doc', content: tree.children.map(block).filter(Boolean)};
}

const react = async () => {
  const {createElement} = await import('react');
  const {renderToStaticMarkup} = await import('react-dom/server');
  return (kind, props) => renderToStaticMarkup(createElement(kind, props));
};

const MAKERS = {
  async 'ghost-markdown'() {
    const {render} = (await import('@tryghost/kg-markdown-html-renderer')).default ?? await import('@tryghost/kg-markdown-html-renderer');
    return render(text);
  },
  async editorjs() {
    const parser = (await import('editorjs-html')).default;
    const list = (node) => node.children.map((item) => ({
      content: inlineHtml(item.children[0]), items: item.children.slice(1).filter((own) => own.type === 'list').flatMap(list), meta: {}}));
    const blocks = tree.children.map((node) => ({
      heading: () => ({type: 'header', data: {text: inlineHtml(node), level: node.depth}}),
      paragraph: () => ({type: 'paragraph', data: {text: inlineHtml(node)}}),
      list: () => ({type: 'list', data: {style: node.ordered ? 'ordered' : 'unordered', items: list(node), meta: {}}}),
      code: () => ({type: 'code', data: {code: node.value}}),
      blockquote: () => ({type: 'quote', data: {text: inlineHtml(node.children[0]), caption: '', alignment: 'left'}}),
      table: () => ({type: 'table', data: {withHeadings: true, content: node.children.map((row) => row.children.map(inlineHtml))}}),
    })[node.type]?.()).filter(Boolean);
    const out = (parser.default ?? parser)().parse({time: 0, version: '2.30.0', blocks});
    return Array.isArray(out) ? out.join('\n') : out;
  },
  async tiptap() {
    const {generateHTML, generateJSON} = await import('@tiptap/html');
    const kit = (await import('@tiptap/starter-kit')).default;
    const {TableKit} = await import('@tiptap/extension-table');
    const all = [kit, TableKit];
    return generateHTML(generateJSON(html, all), all);
  },
  async 'tiptap-view'() {
    // What the editor itself shows, as a page that embeds it read-only.
    await dom();
    const {Editor} = await import('@tiptap/core');
    const kit = (await import('@tiptap/starter-kit')).default;
    const {TableKit} = await import('@tiptap/extension-table');
    const element = document.createElement('div');
    const editor = new Editor({element, extensions: [kit, TableKit], content: html, editable: false});
    return editor.view.dom.outerHTML;
  },
  async prosemirror() {
    await dom();
    const {defaultMarkdownParser, schema} = await import('prosemirror-markdown');
    const {DOMSerializer} = await import('prosemirror-model');
    const box = document.createElement('div');
    box.append(DOMSerializer.fromSchema(schema).serializeFragment(defaultMarkdownParser.parse(text).content, {document}));
    return box.innerHTML;
  },
  async lexical() {
    const own = await dom();
    const require = createRequire(import.meta.url);
    const {createHeadlessEditor} = require('@lexical/headless');
    const {$generateNodesFromDOM, $generateHtmlFromNodes} = require('@lexical/html');
    const {$getRoot, $insertNodes} = require('lexical');
    const {HeadingNode, QuoteNode} = require('@lexical/rich-text');
    const {ListNode, ListItemNode} = require('@lexical/list');
    const {CodeNode, CodeHighlightNode} = require('@lexical/code');
    const {TableNode, TableCellNode, TableRowNode} = require('@lexical/table');
    const {LinkNode} = require('@lexical/link');
    const theme = {paragraph: 'editor-paragraph', quote: 'editor-quote', code: 'editor-code', list: {ul: 'editor-list-ul', listitem: 'editor-listitem'},
      text: {bold: 'editor-text-bold', code: 'editor-text-code', italic: 'editor-text-italic'}};
    const editor = createHeadlessEditor({theme, onError: (error) => { throw error; },
      nodes: [HeadingNode, QuoteNode, ListNode, ListItemNode, CodeNode, CodeHighlightNode, TableNode, TableCellNode, TableRowNode, LinkNode]});
    editor.update(() => { $getRoot().select(); $insertNodes($generateNodesFromDOM(editor, own.window.document)); }, {discrete: true});
    let out;
    editor.read(() => { out = $generateHtmlFromNodes(editor, null); });
    return out;
  },
  async quill() {
    await dom();
    document.execCommand = () => false;
    const Quill = (await import('quill')).default;
    const box = document.createElement('div');
    document.body.replaceChildren(box);
    const quill = new Quill(box, {readOnly: true});
    quill.setContents(quill.clipboard.convert({html}));
    return quill.root.outerHTML.replace(' contenteditable="false"', '');
  },
  async 'quill-delta'() {
    const {QuillDeltaToHtmlConverter} = await import('quill-delta-to-html');
    const inline = (node) => runs(node).map(({text, marks, href}) => ({insert: text, attributes: {...Object.fromEntries(marks.map((mark) => [mark, true])), ...(href ? {link: href} : {})}}));
    const line = (node, attributes) => [...inline(node), {insert: '\n', attributes}];
    const ops = tree.children.flatMap((node) => ({
      heading: () => line(node, {header: node.depth}),
      paragraph: () => line(node, {}),
      list: () => items(node).flatMap(({item, ordered, level}) => line(item, {list: ordered ? 'ordered' : 'bullet', indent: level})),
      code: () => node.value.split('\n').flatMap((own) => [{insert: own}, {insert: '\n', attributes: {'code-block': node.lang}}]),
      blockquote: () => node.children.flatMap((own) => line(own, {blockquote: true})),
    })[node.type]?.() ?? []);
    return new QuillDeltaToHtmlConverter(ops, {multiLineParagraph: false}).convert();
  },
  async 'draftjs-export'() {
    await dom();
    const {stateToHTML} = (await import('draft-js-export-html')).default;
    const {convertFromRaw} = (await import('draft-js')).default;
    return stateToHTML(convertFromRaw(draft()));
  },
  async portabletext() {
    const {toHTML} = await import('@portabletext/to-html');
    let key = 0;
    const block = (node, more = {}) => {
      const defs = [];
      const children = runs(node).map(({text, marks, href}) => {
        const all = marks.map((mark) => ({bold: 'strong', italic: 'em', strike: 'strike-through', code: 'code'})[mark]);
        if (href) { defs.push({_key: `l${++key}`, _type: 'link', href}); all.push(`l${key}`); }
        return {_type: 'span', _key: `s${++key}`, text, marks: all};
      });
      return {_type: 'block', _key: `b${++key}`, style: 'normal', markDefs: defs, children, ...more};
    };
    const blocks = tree.children.flatMap((node) => ({
      heading: () => [block(node, {style: `h${node.depth}`})],
      paragraph: () => [block(node)],
      list: () => items(node).map(({item, ordered, level}) => block(item, {listItem: ordered ? 'number' : 'bullet', level: level + 1})),
      code: () => [{_type: 'code', _key: `c${++key}`, code: node.value, language: node.lang}],
      blockquote: () => node.children.map((own) => block(own, {style: 'blockquote'})),
    })[node.type]?.() ?? []);
    return toHTML(blocks, {components: {types: {code: ({value}) => `<pre data-language="${value.language}"><code>${escaped(value.code)}</code></pre>`}}});
  },
  async storyblok() {
    const own = await import('@storyblok/richtext');
    const names = {ordered: 'ordered_list', bullet: 'bullet_list', item: 'list_item', code: 'code_block', row: 'tableRow', cell: 'tableCell', header: 'tableHeader'};
    return own.renderRichText(proseMirror(names));
  },
  async datocms() {
    const {render} = await import('datocms-structured-text-to-html-string');
    const mark = {bold: 'strong', italic: 'emphasis', strike: 'strikethrough', code: 'code'};
    const inline = (node) => runs(node).map(({text, marks, href}) => {
      const leaf = {type: 'span', value: text, marks: marks.map((own) => mark[own])};
      return href ? {type: 'link', url: href, children: [leaf]} : leaf;
    });
    const block = (node) => ({
      heading: () => ({type: 'heading', level: node.depth, children: inline(node)}),
      paragraph: () => ({type: 'paragraph', children: inline(node)}),
      list: () => ({type: 'list', style: node.ordered ? 'numbered' : 'bulleted', children: node.children.map(block)}),
      listItem: () => ({type: 'listItem', children: node.children.map(block)}),
      code: () => ({type: 'code', language: node.lang, code: node.value}),
      blockquote: () => ({type: 'blockquote', children: node.children.map(block)}),
    })[node.type]?.();
    return render({schema: 'dast', document: {type: 'root', children: tree.children.map(block).filter(Boolean)}});
  },
  async blocknote() {
    const {ServerBlockNoteEditor} = await import('@blocknote/server-util');
    const editor = ServerBlockNoteEditor.create();
    return editor.blocksToHTMLLossy(await editor.tryParseMarkdownToBlocks(text));
  },
  async 'blocknote-full'() {
    const {ServerBlockNoteEditor} = await import('@blocknote/server-util');
    const editor = ServerBlockNoteEditor.create();
    return editor.blocksToFullHTML(await editor.tryParseMarkdownToBlocks(text));
  },
  async 'notion-x'() {
    await dom();
    const {NotionRenderer} = await import('react-notion-x');
    const {Code} = await import('react-notion-x/build/third-party/code').catch(() => ({}));
    const write = await react();
    const block = {};
    let count = 0;
    const title = (node) => runs(node).map(({text, marks, href}) => [text, [...marks.map((mark) => [{bold: 'b', italic: 'i', strike: 's', code: 'c'}[mark]]), ...(href ? [['a', href]] : [])]]);
    const add = (value, children = []) => {
      const id = `00000000-0000-0000-0000-${String(++count).padStart(12, '0')}`;
      block[id] = {role: 'reader', value: {id, version: 1, alive: true, parent_table: 'block', ...value, ...(children.length ? {content: children} : {})}};
      return id;
    };
    const make = (node) => ({
      heading: () => [add({type: node.depth === 1 ? 'header' : node.depth === 2 ? 'sub_header' : 'sub_sub_header', properties: {title: title(node)}})],
      paragraph: () => [add({type: 'text', properties: {title: title(node)}})],
      list: () => node.children.map((item) => add({type: item.checked != null ? 'to_do' : node.ordered ? 'numbered_list' : 'bulleted_list',
        properties: {title: title(item.children[0]), checked: [[item.checked ? 'Yes' : 'No']]}}, item.children.slice(1).flatMap(make))),
      code: () => [add({type: 'code', properties: {title: [[node.value]], language: [[node.lang ?? 'Plain Text']]}})],
      blockquote: () => [add({type: 'quote', properties: {title: title(node.children[0])}}, node.children.slice(1).flatMap(make))],
      table: () => {
        const columns = node.children[0].children.map((_, at) => `c${at}`);
        return [add({type: 'table', format: {table_block_column_order: columns, table_block_column_header: true}},
          node.children.map((row) => add({type: 'table_row', properties: Object.fromEntries(row.children.map((cell, at) => [columns[at], title(cell)]))})))];
      },
    })[node.type]?.() ?? [];
    const content = tree.children.slice(1).flatMap(make);
    const page = add({type: 'page', properties: {title: title(tree.children[0])}}, content);
    const blocks = {[page]: block[page], ...block};
    for (const id of content) blocks[id].value.parent_id = page;
    return write(NotionRenderer, {recordMap: {block: blocks, collection: {}, collection_view: {}, notion_user: {}, collection_query: {}, signed_urls: {}}, fullPage: true, components: {Code}});
  },
  async strapi() {
    const {BlocksRenderer} = await import('@strapi/blocks-react-renderer');
    const write = await react();
    const inline = (node) => runs(node).map(({text, marks, href}) => {
      const leaf = {type: 'text', text, ...Object.fromEntries(marks.map((mark) => [mark === 'strike' ? 'strikethrough' : mark, true]))};
      return href ? {type: 'link', url: href, children: [leaf]} : leaf;
    });
    const list = (node) => ({type: 'list', format: node.ordered ? 'ordered' : 'unordered', children: node.children.flatMap((item) => [
      {type: 'list-item', children: inline(item.children[0])}, ...item.children.slice(1).filter((own) => own.type === 'list').map(list)])});
    const content = tree.children.map((node) => ({
      heading: () => ({type: 'heading', level: node.depth, children: inline(node)}),
      paragraph: () => ({type: 'paragraph', children: inline(node)}),
      list: () => list(node),
      code: () => ({type: 'code', children: [{type: 'text', text: node.value}]}),
      blockquote: () => ({type: 'quote', children: inline(node.children[0])}),
    })[node.type]?.()).filter(Boolean);
    return write(BlocksRenderer, {content});
  },
};

// The raw content of Draft.js.
function draft() {
  const entityMap = {};
  const block = (type, node, depth = 0) => {
    const all = spans(node);
    return {
      key: Math.random().toString(36).slice(2, 7), text: plain(node), type, depth, data: {},
      inlineStyleRanges: all.filter((own) => own.mark).map(({start, end, mark}) => ({offset: start, length: end - start, style: {bold: 'BOLD', italic: 'ITALIC', strike: 'STRIKETHROUGH', code: 'CODE'}[mark]})),
      entityRanges: all.filter((own) => own.href).map(({start, end, href}) => {
        const key = Object.keys(entityMap).length;
        entityMap[key] = {type: 'LINK', mutability: 'MUTABLE', data: {url: href}};
        return {offset: start, length: end - start, key};
      }),
    };
  };
  const levels = ['one', 'two', 'three', 'four', 'five', 'six'];
  const blocks = tree.children.flatMap((node) => ({
    heading: () => [block(`header-${levels[node.depth - 1]}`, node)],
    paragraph: () => [block('unstyled', node)],
    list: () => items(node).map(({item, ordered, level}) => block(ordered ? 'ordered-list-item' : 'unordered-list-item', item, level)),
    code: () => node.value.split('\n').map((own) => block('code-block', {children: [{type: 'text', value: own}]})),
    blockquote: () => node.children.map((own) => block('blockquote', own)),
  })[node.type]?.() ?? []);
  return {blocks, entityMap};
}

console.log(await MAKERS[name]());
process.exit(0);
