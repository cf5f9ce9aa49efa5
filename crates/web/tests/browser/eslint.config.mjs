// What the page's scripts and their tests are checked for.

import js from "@eslint/js";
import globals from "globals";

const rules = {
  ...js.configs.recommended.rules,
  eqeqeq: "error",
  "no-var": "error",
  "prefer-const": "error",
  "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
  "no-implied-eval": "error",
  "no-restricted-properties": [
    "error",
    // Text of games and users becomes text, never markup.
    { property: "innerHTML", message: "Use h, s or textContent." },
    { property: "outerHTML", message: "Use h, s or textContent." },
    { property: "insertAdjacentHTML", message: "Use h, s or textContent." },
  ],
};

export default [
  { files: ["page/**/*.js"], languageOptions: { globals: globals.browser }, rules },
  {
    files: ["tests/**/*.mjs"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
    rules,
  },
];
