// Translations of the codes that only the archive shows, as in codes.js.

import { prefixed } from "./codes.js";

/** How a document violates the schema of its format. */
const violation = {
  attribute: "Das Element {element} hat kein Attribut {attribute}.",
  "attribute-missing": "Dem Element {element} fehlt das Attribut {attribute}.",
  element: "Das Element {element} ist hier nicht erlaubt.",
  "element-missing": "Im Element {element} fehlt ein weiteres.",
  reference: "Das Element {element} verweist auf etwas, das es nicht gibt.",
  text: "Im Element {element} darf kein Text stehen.",
  twice: "Zwei Elemente {element} haben denselben Schlüssel.",
  value: "Der Wert von {element} ist nicht erlaubt.",
  "value-attribute": "Der Wert des Attributs {attribute} von {element} ist nicht erlaubt.",
};

export const codes = prefixed("violation", violation);
