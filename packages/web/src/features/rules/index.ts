export { liftQuarantine, quarantineQuery, refreshRules } from './api.ts';
export { HoldVersionButton } from './components/hold-version-button.tsx';
export { HoldVersionDialog, QuarantineDialog } from './dialogs.ts';
