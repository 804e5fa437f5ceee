/** Input types in which a key does not type text. */
const NON_TEXT_INPUTS = ['checkbox', 'radio', 'button', 'submit'];

/** True if a key press on this element may start a shortcut: not in a field, and not while a dialog is open. */
export function takesShortcuts(target: EventTarget | null): boolean {
  return !isField(target) && document.querySelector('[role="dialog"]') === null;
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !NON_TEXT_INPUTS.includes(target.type);
  return target.isContentEditable || target.matches('textarea,select');
}
