import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { type LicenseDetails, renameLicense } from '../../../lib/licenses-api.ts';
import { blockedMessages } from '../../../messages/blocked.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { useLicenseChange } from '../use-license-change.ts';
import { LicenseLabelFields } from './license-label-fields.tsx';

const messages = licenseDialogsMessages.edit;

export function RenameDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const change = useLicenseChange();
  const before = { name: license.name ?? '', customer: license.customer ?? '' };
  const [labels, setLabels] = useState(before);
  const isUnchanged =
    labels.name.trim() === before.name && labels.customer.trim() === before.customer;
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.submit}
      blockedBy={isUnchanged ? blockedMessages.unchanged : null}
      onClose={onClose}
      onConfirm={() => change(renameLicense(license.id, labels), messages.done)}
    >
      <LicenseLabelFields value={labels} onChange={setLabels} />
    </ConfirmDialog>
  );
}
