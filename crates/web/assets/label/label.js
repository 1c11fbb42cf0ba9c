"use strict";
const by = id => document.getElementById(id);
let list = { pages: [], roles: [], left_out: [], next: [] }, at = 0, blocks = [], roles = [], chosen = "body", last = null, dirty = false, mark = null;
const partOf = role => (list.roles.find(own => own.name === role) || { part: "dropped" }).part;

function say(text) { by("state").textContent = text; }

async function ask(path, options) {
  const answer = await fetch(path, options);
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.problem || answer.statusText);
  body.mark = answer.headers.get("ETag");
  return body;
}

function progress() {
  const done = list.pages.filter(page => page.done).length;
  by("progress").textContent = `page ${at + 1} of ${list.pages.length}, ${done} labelled`;
  by("done").hidden = done < list.pages.length;
  by("done").querySelector("pre").textContent = list.next.join("\n");
  by("left_out").textContent = list.left_out.join("\n");
}

function letters() {
  const used = new Set();
  for (const role of list.roles) {
    role.key = [...role.name].find(c => c !== "-" && !used.has(c)) || "";
    used.add(role.key);
  }
}

function showRoles() {
  by("roles").replaceChildren(...list.roles.map(role => {
    const button = document.createElement("button");
    button.textContent = `${role.name} (${role.key})`;
    button.className = role.part;
    button.setAttribute("aria-pressed", role.name === chosen);
    button.onclick = () => { chosen = role.name; showRoles(); };
    return button;
  }));
  // Within its own line only: the page stays where it is.
  const pressed = by("roles").querySelector("[aria-pressed=true]");
  if (pressed) by("roles").scrollLeft = pressed.offsetLeft - by("roles").offsetLeft;
}

function show(number) {
  const row = by("blocks").children[number];
  row.className = `b ${partOf(roles[number])}`;
  row.setAttribute("aria-pressed", partOf(roles[number]) !== "dropped");
  row.querySelector(".role").textContent = roles[number];
}

function give(number, event) {
  const role = roles[number] === chosen ? "other" : chosen;
  let numbers = [number];
  if (event.shiftKey && last !== null) {
    const [from, to] = [Math.min(last, number), Math.max(last, number)];
    numbers = Array.from({ length: to - from + 1 }, (_, step) => from + step);
  } else if (event.ctrlKey || event.metaKey) {
    numbers = blocks.flatMap((block, other) => block.field === blocks[number].field ? [other] : []);
  }
  for (const other of numbers) { roles[other] = role; show(other); }
  last = number; dirty = true; say("not saved");
}

function row(block, number) {
  const own = document.createElement("div");
  own.tabIndex = 0;
  own.setAttribute("role", "button");
  const line = (name, text) => { const p = document.createElement("p"); p.className = name; p.textContent = text; return p; };
  const text = line("text", block.text);
  text.dir = "auto";
  own.append(line("role", ""), text, line("path", `${block.probability.toFixed(2)} ${block.path}${block.hidden ? " · hidden" : ""}`));
  own.onclick = event => give(number, event);
  own.onkeydown = event => { if (event.key === " ") { event.preventDefault(); give(number, event); } };
  own.onmouseenter = () => {
    for (const [other, one] of [...by("blocks").children].entries()) one.classList.toggle("same", blocks[other].field === block.field);
  };
  return own;
}

/** Shows the page in its frame, which runs no scripts, or takes it away. */
function beside() {
  const isShown = by("beside").checked;
  document.body.classList.toggle("beside", isShown);
  by("original").hidden = !isShown;
  const wanted = isShown && at >= 0 ? `pages/${at}/original` : "about:blank";
  if (by("frame").getAttribute("src") !== wanted) by("frame").setAttribute("src", wanted);
}

async function open(number) {
  if (!list.pages.length) { say("the archive holds no pages"); return; }
  at = (number + list.pages.length) % list.pages.length;
  const page = await ask(`pages/${at}`);
  blocks = page.blocks; last = null; dirty = false; mark = page.mark;
  roles = page.choice ? page.choice.roles : blocks.map(block => block.role);
  const url = document.createElement("span");
  url.className = "url";
  url.textContent = page.url;
  by("page").replaceChildren(page.title || "Page without a title", " ", url);
  for (const name of ["page_type", "lang", "note"]) by(name).value = (page.choice && page.choice[name]) || "";
  by("blocks").replaceChildren(...blocks.map(row));
  blocks.forEach((_, other) => show(other));
  say(page.choice ? "labelled" : "proposed"); progress(); beside(); scrollTo(0, 0);
}

function next() {
  for (let step = 1; step <= list.pages.length; step++) {
    const other = (at + step) % list.pages.length;
    if (!list.pages[other].done) return other;
  }
  return at + 1;
}

async function save() {
  try {
    const choice = { roles };
    for (const name of ["page_type", "lang", "note"]) if (by(name).value.trim()) choice[name] = by(name).value.trim();
    const headers = { "Content-Type": "application/json", "If-Match": mark };
    await ask(`pages/${at}`, { method: "PUT", headers, body: JSON.stringify(choice) });
    dirty = false;
    // Others may have labelled pages meanwhile.
    list.pages = (await ask("pages")).pages;
    await open(next());
  } catch (error) { say(error.message); }
}

const leave = number => { if (!dirty || confirm("Leave without saving?")) open(number).catch(error => say(error.message)); };
for (const name of ["page_type", "lang", "note"]) by(name).oninput = () => { dirty = true; say("not saved"); };
by("save").onclick = save;
by("back").onclick = () => leave(at - 1);
by("skip").onclick = () => leave(at + 1);
by("hide").onchange = event => by("blocks").classList.toggle("only", event.target.checked);
addEventListener("beforeunload", event => { if (dirty) event.preventDefault(); });
addEventListener("keydown", event => {
  const isTyped = event.target.tagName === "INPUT" && event.target.type !== "checkbox";
  if (isTyped || event.ctrlKey || event.metaKey || event.altKey) return;
  const role = list.roles.find(own => own.key === event.key);
  if (role) { chosen = role.name; showRoles(); }
  else if (event.key === "Enter" && event.target.tagName !== "BUTTON") save();
});

by("beside").onchange = beside;
new ResizeObserver(() => document.body.style.setProperty("--bar", `${by("bar").offsetHeight}px`)).observe(by("bar"));
by("beside").checked = innerWidth > 1000;
by("more").open = innerWidth > 640;
ask("pages").then(found => {
  list = found; letters(); showRoles(); at = -1;
  return open(next());
}).catch(error => say(error.message));
