// Renders topic and category pages of NodeBB's themes from data: node nodebb_themes.js THEME DATA.json OUT
// The themes come as npm packages of Benchpress templates; the core is not on npm in a current version.
const fs = require('fs'), path = require('path');
const root = process.env.NODEBB_FOLDER || '/tmp/pages/n/nodebb';
const Benchpress = require(root + '/node_modules/benchpressjs');
const [theme, dataFile, out] = process.argv.slice(2);
const bases = [theme, 'nodebb-theme-persona', 'nodebb-theme-harmony', 'nodebb-theme-vanilla'].map(name => `${root}/node_modules/${name}/templates`);
const find = name => bases.map(base => path.join(base, name)).find(file => fs.existsSync(file));
const words = {};
for (const name of ['topic', 'global', 'category', 'user', 'aria', 'recent', 'search', 'notifications', 'categories', 'tags', 'groups', 'modules']) {
  const file = `${root}/package/public/language/${process.env.NODEBB_LANGUAGE || 'en-GB'}/${name}.json`;
  if (fs.existsSync(file)) Object.assign(words, Object.fromEntries(Object.entries(JSON.parse(fs.readFileSync(file))).map(([k, v]) => [name + ':' + k, v])));
}
const say = (token, ...values) => {
  const key = String(token).replace(/^\[\[|\]\]$/g, '');
  return (words[key] || key.split(':').pop().replace(/[-_.]/g, ' ')).replace(/%(\d)/g, (_, n) => values[n - 1] ?? '');
};
const time = iso => `<span class="timeago" title="${iso}">${String(iso).slice(0, 10)}</span>`;
const avatar = (user, size, rounded, classes = '') => `<span title="${user?.username}" class="avatar ${classes} avatar-rounded" style="--avatar-size: ${size};background-color: #3f51b5;" loading="lazy">${(user?.username || '?')[0].toUpperCase()}</span>`;
const helpers = {
  tx: say, txEscape: x => x, txDisplayname: user => user?.displayname ?? user?.username, renderShortcodeEmoji: x => x, buildAvatar: avatar,
  userAvatarOrIcon: (user, ...rest) => avatar(user, '40px'), renderTopicImage: () => '', buildCategoryIcon: category => `<span class="icon" style="color: #fff"><i class="fa fa-fw ${category?.icon}"></i></span>`,
  buildCategoryLabel: category => `<a href="/category/1" class="badge px-1 text-truncate text-decoration-none border">${category?.name}</a>`, generateWrote: post => say('topic:wrote-ago', post?.timestampISO) + ' ' + time(post?.timestampISO),
  generateRepliedTo: post => say('topic:replied'), increment: (x, n) => Number(x) + Number(n), humanReadableNumber: x => x, formattedNumber: x => x, isoTimeToLocaleString: x => x, localeToHTML: () => 'en',
  generateCategoryBackground: () => 'background-color: #ddd;', generateChildrenCategories: () => '', generateTopicClass: () => '', displayMenuItem: () => true, greaterthan: (a, b) => Number(a) > Number(b), encodeURIComponent, stringify: JSON.stringify,
  buildMetaTag: tag => `<meta name="${tag.name}" content="${tag.content}">`, buildLinkTag: () => '', shouldHideReplyContainer: () => true, membershipBtn: () => '', register: () => '', formattedDate: x => x, txBrowserTitle: x => x,
};
for (const [name, helper] of Object.entries(helpers)) Benchpress.registerHelper(name, helper);
function template(name, seen = []) {
  const file = find(name);
  if (!file || seen.includes(name)) return '';
  // Old themes print posts and avatars with single braces, which escape in the current Benchpress.
  return fs.readFileSync(file, 'utf8').replace(/([^{]){(posts\.content|\.\/content)}(?!})/g, '$1{{$2}}').replace(/([^{]){(buildAvatar\([^{}]*\)|buildCategoryIcon\([^{}]*\)|buildCategoryLabel\([^{}]*\))}(?!})/g, '$1{{$2}}').replace(/<!--\s*IMPORT\s+(\S+)\s*-->/g, (_, inner) => template(inner, [...seen, name]));
}
const translate = html => html.replace(/\[\[([a-z_-]+:[a-z0-9_.-]+)(?:,\s*([^\]]*))?\]\]/gi, (_, key, values) => say(key, ...(values || '').split(/,\s*/)));
(async () => {
  const compiled = {};
  const render = async (name, data) => {
    compiled[name] = compiled[name] || Benchpress.evaluate(await Benchpress.precompile({ source: template(name), filename: name }));
    const code = compiled[name];
    Benchpress.cache[name] = code;
    return Benchpress.render(name, data);
  };
  for (const page of JSON.parse(fs.readFileSync(dataFile))) {
    try {
      let html = '';
      for (const part of ['header.tpl', page.template, 'footer.tpl']) html += await render(part, page.data);
      fs.writeFileSync(path.join(out, page.name), translate(html));
    } catch (error) { console.error(theme, page.name, String(error.stack).slice(0, 400)); process.exit(1); }
  }
})();
