import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { toDay } from '../../../lib/days.ts';
import { changeExpiry, type LicenseDetails } from '../../../lib/licenses-api.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { endOfDay } from '../expiry-date.ts';
import { useLicenseChange } from '../use-license-change.ts';
import { type Expiry, ExpiryField, validateExpiry } from './limit-and-expiry-fields.tsx';

const messages = licenseDialogsMessages.expiry;

export function ChangeExpiryDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const change = useLicenseChange();
  const [initial] = useState<Expiry>(() => ({
    day: license.expires_at ? toDay(new Date(license.expires_at)) : '',
    neverExpires: license.expires_at === null,
  }));
  const [expiry, setExpiry] = useState(initial);
  const error = validateExpiry(expiry);
  // An unchanged day would move the expiry to the end of this day if it has another time.
  const isUnchanged = expiry.day === initial.day && expiry.neverExpires === initial.neverExpires;
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.title}
      blockedBy={error ?? (isUnchanged ? blockedMessages.unchanged : null)}
      onClose={onClose}
      onConfirm={() =>
        change(
          changeExpiry(license.id, expiry.neverExpires ? null : endOfDay(expiry.day)),
          messages.done,
        )
      }
    >
      <ExpiryField value={expiry} onChange={setExpiry} error={expiry.day === '' ? null : error} />
    </ConfirmDialog>
  );
}
