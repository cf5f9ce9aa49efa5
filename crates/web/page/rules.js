// The rules of a game in words.

import { h, put } from "./dom.js";

/** `code`, **strong** and *emphasis* in a text. */
function inline(text) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*/g)) {
    const [all, code, strong, emphasis] = found;
    parts.push(text.slice(end, found.index));
    parts.push(code ? h("code", {}, code) : strong ? h("strong", {}, strong) : h("em", {}, emphasis));
    end = found.index + all.length;
  }
  return [...parts, text.slice(end)];
}

function table(lines) {
  const cells = (line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => inline(cell.trim()));
  const [head, , ...rows] = lines;
  const row = (name, line) =>
    h(
      "tr",
      {},
      cells(line).map((cell) => h(name, {}, cell)),
    );
  return h(
    "table",
    {},
    h("thead", {}, row("th", head)),
    h(
      "tbody",
      {},
      rows.map((line) => row("td", line)),
    ),
  );
}

/** The Markdown that rules are written in: paragraphs, lists and tables. */
export function markdown(text) {
  return text.split(/\n{2,}/).map((block) => {
    if (block.startsWith("|")) return table(block.split("\n"));
    const flat = (lines) => inline(lines.replace(/\s+/g, " "));
    if (!block.startsWith("- ")) return h("p", {}, flat(block));
    const items = block.slice(2).split("\n- ");
    return h(
      "ul",
      {},
      items.map((item) => h("li", {}, flat(item))),
    );
  });
}

/** What opens to the rules of a game, which are loaded then. */
export function rulesOf(api) {
  const body = h("div", { class: "words" });
  const load = async () => {
    if (body.childNodes.length) return;
    try {
      put(body, markdown((await api.rules()).rules));
    } catch (error) {
      put(body, h("p", { role: "alert" }, error.message));
    }
  };
  const opened = (event) => event.target.open && load();
  return h("details", { class: "about", ontoggle: opened }, h("summary", {}, "Rules"), body);
}
