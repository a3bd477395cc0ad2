// The languages of the pages. The shell's texts are in a module for each language, a game's with its board.

export const languages = { en: "English", de: "Deutsch" };

const KEY = "gamed.language";
let current = null;
let texts = {}; // those of the current language

/** The value that the browser has stored under a name; null if there is none. */
export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Stores a value in the browser; null deletes it. */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // The pages work without storage.
  }
}

/** The chosen language, else the first of the browser's that there is, else English. */
export function language() {
  if (current) return current;
  const wanted = [kept(KEY), ...navigator.languages].map((tag) => tag?.slice(0, 2).toLowerCase());
  current = wanted.find((tag) => Object.hasOwn(languages, tag)) ?? "en";
  document.documentElement.lang = current;
  return current;
}

async function load(tag) {
  const { words, codes } = await import(`./words/${tag}.js`);
  texts = { ...codes, ...words };
}

/** Chooses a language. Throws if its texts cannot be loaded. */
export async function speak(chosen) {
  await load(chosen);
  keep(KEY, chosen);
  current = chosen;
}

/** A value as text: numbers in the language's format, without thousands separators. */
export function spelled(value) {
  if (typeof value !== "number") return String(value);
  return new Intl.NumberFormat(language(), { useGrouping: false, maximumFractionDigits: 20 }).format(value);
}

function filled(text, params) {
  return text.replace(/\{(\w+)\}/g, (hole, name) => (name in params ? spelled(params[name]) : hole));
}

/** Of several forms of a text, the last one whose holes can all be filled. */
function fitting(text, params) {
  if (!Array.isArray(text)) return text;
  return text.findLast((form) => [...form.matchAll(/\{(\w+)\}/g)].every((hole) => hole[1] in params));
}

/** Returns a function that finds a key's text, first in `own`; with `{count: 1}` it prefers `keyOne`. */
export function translator(own = {}) {
  const find = (key) => {
    for (const dictionary of [own[language()], own.en, texts]) {
      if (dictionary && Object.hasOwn(dictionary, key)) return dictionary[key];
    }
    return undefined;
  };
  const translate = (key, params = {}) => {
    const text = (params.count === 1 ? find(`${key}One`) : undefined) ?? find(key);
    return text === undefined ? key : filled(fitting(text, params), params);
  };
  translate.has = (key) => find(key) !== undefined;
  return translate;
}

/** Takes a game's texts for the server's codes: `{LANGUAGE: {KIND-CODE: text, phrases}}`. */
export function learn(codes = {}) {
  const { phrases = [], ...own } = codes[language()] ?? {};
  texts = { ...texts, ...own, phrases: [...new Set([...phrases, ...(texts.phrases ?? [])])] };
}

const games = new Map(); // a translator for each game whose board was loaded

/** Takes a game's own texts. */
export function learnWords(kind, words) {
  games.set(kind, translator(words));
}

/** Finds texts first in a game's own, if its board was loaded. */
export const gameWords = (kind) => games.get(kind) ?? t;

/** An English text of the server with the phrases of it that are known in the reader's language. */
export function phrased(text) {
  return (texts.phrases ?? []).reduce((said, [phrase, own]) => said.replaceAll(phrase, own), text);
}

/** The shell's own texts. */
export const t = translator();

await load(language());
