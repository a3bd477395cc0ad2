// Rings when it is a player's turn, or somebody has come; off at first.

import { el, isChord } from "../dom.js";
import { keep, kept, translator } from "../words.js";

export const words = {
  en: { bell: "Sound", bellHelp: "A sound and a notification when it is your turn, or somebody has come", bellKey: "s: sound on or off" },
  de: { bell: "Ton", bellHelp: "Ton und Benachrichtigung, wenn du am Zug bist oder jemand gekommen ist", bellKey: "s: Ton an oder aus" },
};
const t = translator(words);

const BELL = "gamed.bell";
const LENGTH = 0.25; // seconds
let audio = null; // browsers allow few

/** Its button, and how to ring: {node, ring(text)}. */
export function bell({ keys, signal }) {
  const node = el("button", { type: "button", class: "sign", "aria-label": t("bell"), title: t("bellHelp"), onclick: toggle }, "♪");

  function draw() {
    node.setAttribute("aria-pressed", String(kept(BELL) === "on"));
  }

  function sound() {
    audio ??= new AudioContext();
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    volume.gain.setValueAtTime(0.2, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + LENGTH);
    tone.frequency.value = 660;
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + LENGTH);
  }

  function toggle() {
    const isOn = kept(BELL) === "on";
    keep(BELL, isOn ? null : "on");
    draw();
    if (isOn) return;
    // Browsers allow sounds after a click.
    sound();
    window.Notification?.requestPermission();
  }

  keys.push(t("bellKey"));
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "s" && !isChord(event) && !event.target.closest("input, select, textarea, dialog")) toggle();
    },
    { signal },
  );
  draw();
  return {
    node,
    ring(text) {
      if (kept(BELL) !== "on") return;
      sound();
      if (!document.hidden || window.Notification?.permission !== "granted") return;
      try {
        new Notification(text);
      } catch {
        // on phones
      }
    },
  };
}
