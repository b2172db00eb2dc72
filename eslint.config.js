import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    files: ["static/js/**/*.js"],
    languageOptions: { globals: globals.browser, sourceType: "module", ecmaVersion: 2022 },
    rules: {
      eqeqeq: "error",
      "prefer-const": "error",
      "no-var": "error",
      "no-shadow": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", destructuredArrayIgnorePattern: "^_", ignoreRestSiblings: true }],
      "max-lines": ["error", 420],
    },
  },
  { files: ["tests/js/**/*.js"], languageOptions: { globals: { ...globals.node, ...globals.browser }, sourceType: "module" } },
  { ignores: ["static/vendor/**", "annotator/static/**", "var/**", ".venv/**"] },
];
