export { InstallDialog, RestoreDialog, SelfUpdateDialog, UpdateDialog } from './dialogs.ts';
export { describeLeftOut } from './update-button/describe-left-out.ts';
export { UpdateButton, UpdateHoldNote, UpdateLeftOutNote } from './update-button/update-button.tsx';
