import { paletteStore } from '../palette-store.ts';

/**
 * The palette marks the entry that Enter opens with this attribute. It updates the mark only on typing and on arrow
 * keys; we mark entries that arrive later.
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
