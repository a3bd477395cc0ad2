// What browsers have and Debian's TypeScript does not know yet, and the values that boards and pages share.

interface Array<T> {
  findLast(test: (value: T, index: number, all: T[]) => unknown): T | undefined;
}

/** `AbortSignal`, with `any` and `timeout`. */
type AbortSignals = { any(signals: AbortSignal[]): AbortSignal; timeout(ms: number): AbortSignal };

interface URLSearchParams {
  readonly size: number;
}

/** Elements are made by `el` and found by selectors; nobody tells which kind they are. */
interface Element {
  dataset: DOMStringMap;
  focus(options?: FocusOptions): void;
  href?: string;
  target?: string;
}
interface EventTarget {
  closest?(selectors: string): Element | null;
}

/** A move as the API has it: docs/reference/web-api.md. */
interface Move {
  n: number;
  seat: number;
  text: string;
  at: number | null;
  took: number | null;
  cards?: number[];
  node?: number;
  comment?: string;
}

/** What a game's board gets from its page: docs/howto/add-a-game.md#7-the-board-in-the-browser. */
interface BoardContext {
  /** The game's words. */
  t: ((key: string, params?: Record<string, unknown>) => string) & { has?: (key: string) => boolean };
  mode: "watch" | "play" | "replay";
  /** Sends an action of the player; fails if the server refuses it. */
  act(action: Record<string, unknown>): Promise<void>;
  /** Tells screen readers. */
  announce(text: string): void;
  /** The line with the name and clock of the player on a seat. */
  player(seat: number): HTMLElement;
  setStatus(text: string): void;
  readonly animate: boolean;
  readonly pace: number;
}

/** A game's board. */
interface Board {
  update(scene: any): void;
  destroy(): void;
  isMoving?(): boolean;
  rest?(): Promise<void>;
}

/** What the games of one listener share. Their folders are below the listener's, so that no address leads to it. */
declare module "*/lobby.js" {
  export const words: Record<string, Record<string, string>>;
  export const codes: Record<string, Record<string, unknown>>;
}
