import { paletteStore } from '../palette-switch.ts';

/**
 * The palette marks what Enter would take with an attribute of its own. It marks something only when
 * somebody types or uses the arrow keys; what arrives later is for us to mark.
 */

const MARK = 'data-selected';

const linesOf = (): HTMLElement[] => {
  const list = document.getElementById(paletteStore.getState().listId);
  return list ? [...list.querySelectorAll<HTMLElement>('[data-action]')] : [];
};

export function isAnyMarked(): boolean {
  return linesOf().some((line) => line.hasAttribute(MARK));
}

export function unmark(): void {
  for (const line of linesOf()) line.removeAttribute(MARK);
}

export function markFirst(): void {
  const lines = linesOf();
  unmark();
  lines[0]?.setAttribute(MARK, 'true');
  paletteStore.updateState((state) => ({ ...state, selected: lines.length > 0 ? 0 : -1 }));
}

export function takeMarked(): void {
  linesOf()
    .find((line) => line.hasAttribute(MARK))
    ?.click();
}
