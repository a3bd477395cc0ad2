// A link that is copied where it is clicked.

import { el, replace } from "../dom.js";
import { link } from "../parts.js";
import { t } from "../words.js";

/** A link to a place that is copied where it is clicked, as far as the browser allows; `announce` tells it. */
export function copyable(href, text, announce) {
  const node = link(href, { class: "button" }, text);
  node.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    // `navigator.clipboard` would work only with HTTPS and on localhost.
    const whole = el("span", { class: "unseen" }, node.href);
    document.body.append(whole);
    getSelection().selectAllChildren(whole);
    const isCopied = document.execCommand("copy");
    whole.remove();
    if (!isCopied) return;
    event.preventDefault();
    replace(node, t("copied"));
    announce(t("copied"));
    setTimeout(() => replace(node, text), 2_000);
  });
  return node;
}
