// The interface from its own description, to be tried out.

import { h } from "./dom.js";

const EXAMPLES = { game: "awari", id: "1", position: "0,0,4,0,3,2/2,1,1,0,0,2 S 20-13", slice: "10" };

function resolve(document, schema) {
  let found = schema;
  while (found && found.$ref) found = document.components.schemas[found.$ref.split("/").pop()];
  return found ?? {};
}

/** An example of what a schema describes. */
function sample(document, schema) {
  const found = resolve(document, schema);
  if (found.example !== undefined) return found.example;
  if (found.properties) {
    const required = Object.entries(found.properties).filter(([name]) =>
      (found.required ?? []).includes(name),
    );
    return Object.fromEntries(
      required.map(([name, inner]) => [
        name,
        name === "positions" ? [EXAMPLES.position] : sample(document, inner),
      ]),
    );
  }
  if (found.type === "array") return [sample(document, found.items)];
  return found.type === "integer" || found.type === "number" ? 0 : "";
}

/** What the fields of a body mean. */
function fieldsOf(document, schema) {
  const { properties = {}, required = [] } = resolve(document, schema);
  const field = ([name, inner]) => {
    // Markdown, of which only code occurs.
    const words = (inner.description ?? "").split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
    return h("li", {}, h("code", {}, name), required.includes(name) ? ": " : " (optional): ", words);
  };
  return h("ul", { class: "note" }, Object.entries(properties).map(field));
}

function operation(document, path, method, description) {
  const output = h("pre", { hidden: true, "aria-live": "polite" });
  const fields = (description.parameters ?? []).map((parameter) => {
    const schema = resolve(document, parameter.schema ?? {});
    const value = parameter.required ? (parameter.example ?? EXAMPLES[parameter.name] ?? "") : "";
    const choices = schema.enum ?? (schema.oneOf ?? []).flatMap((one) => resolve(document, one).enum ?? []);
    const input = choices.length
      ? h(
          "select",
          { name: parameter.name },
          h("option", { value: "" }, ""),
          choices.map((one) => h("option", {}, one)),
        )
      : h("input", {
          name: parameter.name,
          value,
          placeholder: EXAMPLES[parameter.name] ?? "",
          required: parameter.required,
        });
    return h("label", { title: parameter.description ?? "" }, h("code", {}, parameter.name), input);
  });
  const media = description.requestBody?.content?.["application/json"];
  const body =
    media &&
    h(
      "textarea",
      { name: "body", "aria-label": "Body" },
      JSON.stringify(sample(document, media.schema), null, 1),
    );
  const submit = async (event) => {
    event.preventDefault();
    let url = path;
    const query = new URLSearchParams();
    for (const parameter of description.parameters ?? []) {
      const value = event.target.elements[parameter.name].value;
      if (parameter.in === "path") url = url.replace(`{${parameter.name}}`, encodeURIComponent(value));
      else if (value !== "") query.set(parameter.name, value);
    }
    const text = query.toString();
    const address = url + (text ? "?" + text : "");
    output.hidden = false;
    output.textContent = address + "\n…";
    try {
      const response = await fetch(address, {
        method: method.toUpperCase(),
        headers: body ? { "content-type": "application/json" } : {},
        body: body ? body.value : undefined,
      });
      const answer = await response.text();
      let shown = answer;
      try {
        shown = JSON.stringify(JSON.parse(answer), null, 1);
      } catch {
        /* not JSON: as it is */
      }
      const status = `${response.status} ${response.statusText}`;
      output.textContent = `${method.toUpperCase()} ${address}\n${status}\n\n${shown.slice(0, 20000)}`;
    } catch (error) {
      output.textContent = String(error);
    }
  };
  return h(
    "section",
    { class: "panel operation" },
    h("h2", {}, h("span", { class: "method" }, method), h("code", { class: "path" }, path)),
    h("p", {}, description.summary ?? ""),
    media && fieldsOf(document, media.schema),
    h("form", { onsubmit: submit }, fields, body, h("button", { class: "primary" }, "Try")),
    output,
  );
}

const response = await fetch("/api/v1/openapi.json");
const description = await response.json();
document
  .querySelector("#operations")
  .replaceChildren(
    ...Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => operation(description, path, method, one)),
    ),
  );
