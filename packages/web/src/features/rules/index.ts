export { liftQuarantine, quarantineQuery, refreshRules } from './api.ts';
export { QuarantineDialog } from './dialogs.ts';
