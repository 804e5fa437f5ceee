export { liftQuarantine, quarantineQuery, refreshRules } from './api.ts';
