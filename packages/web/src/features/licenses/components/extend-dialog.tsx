import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { extendLicense, type LicenseDetails } from '../../../lib/licenses-api.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { dayOf, endOfDay } from '../expiry-date.ts';
import { useLicenseChange } from '../use-license-change.ts';
import { type Term, TermField, validateTerm } from './term-fields.tsx';

const messages = licenseDialogsMessages.expiry;

export function ExtendDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const change = useLicenseChange();
  const [term, setTerm] = useState<Term>(() => ({
    day: license.expires_at ? dayOf(new Date(license.expires_at)) : '',
    isForever: license.expires_at === null,
  }));
  const error = validateTerm(term);
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.title}
      isBlocked={error !== null}
      onClose={onClose}
      onConfirm={() =>
        change(extendLicense(license.id, term.isForever ? null : endOfDay(term.day)), messages.done)
      }
    >
      <TermField value={term} onChange={setTerm} error={term.day === '' ? null : error} />
    </ConfirmDialog>
  );
}
