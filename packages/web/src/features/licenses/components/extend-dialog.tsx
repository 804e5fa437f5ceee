import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { extendLicense, type LicenseDetails } from '../../../lib/licenses-api.ts';
import { dayOf, endOfDay } from '../last-day.ts';
import { useLicenseChange } from '../use-license-change.ts';
import { type Term, TermField, termFault } from './term-fields.tsx';

export function ExtendDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const change = useLicenseChange();
  const [term, setTerm] = useState<Term>(() => ({
    day: license.expires_at ? dayOf(new Date(license.expires_at)) : '',
    isForever: license.expires_at === null,
  }));
  const fault = termFault(term);
  return (
    <ConfirmDialog
      title="Change expiry"
      confirmLabel="Change expiry"
      isBlocked={fault !== null}
      onClose={onClose}
      onConfirm={() =>
        change(
          extendLicense(license.id, term.isForever ? null : endOfDay(term.day)),
          'The expiry is changed.',
        )
      }
    >
      <TermField value={term} onChange={setTerm} error={term.day === '' ? null : fault} />
    </ConfirmDialog>
  );
}
