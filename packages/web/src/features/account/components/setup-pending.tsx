import { accountMessages } from '../../../messages/account.ts';
import { SignedOutLayout } from './signed-out-layout.tsx';

const messages = accountMessages.setup;

/** Shown while the panel has no owner and the URL has no setup token. */
export function SetupPending() {
  return <SignedOutLayout title={messages.pendingTitle}>{messages.pending}</SignedOutLayout>;
}
