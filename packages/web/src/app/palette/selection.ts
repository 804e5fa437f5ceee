import { paletteStore } from '../palette-store.ts';

/**
 * Mantine sets this attribute on the entry that Enter opens, but only when the user types or presses an arrow key.
 * This module sets it on entries that arrive later.
 */
const SELECTED_ATTRIBUTE = 'data-selected';

const listEntries = (): HTMLElement[] => {
  const list = document.getElementById(paletteStore.getState().listId);
  return list ? [...list.querySelectorAll<HTMLElement>('[data-action]')] : [];
};

export function hasSelection(): boolean {
  return listEntries().some((entry) => entry.hasAttribute(SELECTED_ATTRIBUTE));
}

export function clearSelection(): void {
  for (const entry of listEntries()) entry.removeAttribute(SELECTED_ATTRIBUTE);
}

export function selectFirst(): void {
  const entries = listEntries();
  clearSelection();
  entries[0]?.setAttribute(SELECTED_ATTRIBUTE, 'true');
  paletteStore.updateState((state) => ({ ...state, selected: entries.length > 0 ? 0 : -1 }));
}

export function openSelected(): void {
  listEntries()
    .find((entry) => entry.hasAttribute(SELECTED_ATTRIBUTE))
    ?.click();
}
