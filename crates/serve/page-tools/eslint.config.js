// Lints of the page's scripts and of the tools beside them.

import js from "@eslint/js";
import globals from "globals";

const rules = {
  "array-callback-return": "error",
  eqeqeq: "error",
  "no-constructor-return": "error",
  "no-implicit-coercion": "error",
  "no-implicit-globals": "error",
  "no-self-compare": "error",
  "no-shadow": "error",
  "no-template-curly-in-string": "error",
  "no-throw-literal": "error",
  "no-undef": "error",
  "no-unreachable-loop": "error",
  "no-unused-expressions": "error",
  "no-unused-vars": ["error", { caughtErrors: "all" }],
  "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-arrow-callback": "error",
  "prefer-const": "error",
  radix: "error",
};

export default [
  { ignores: ["**/node_modules/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    files: ["**/page/*.js"],
    languageOptions: { sourceType: "module", globals: globals.browser },
    rules,
  },
  {
    files: ["**/page/sw.js"],
    languageOptions: { sourceType: "script", globals: globals.serviceworker },
  },
  {
    files: ["**/page-tools/**/*.js"],
    languageOptions: { sourceType: "module", globals: globals.node },
    rules,
  },
];
