import { useState } from 'react';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { type LicenseDetails, renameLicense } from '../../../lib/licenses-api.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { useLicenseChange } from '../use-license-change.ts';
import { LicenseTextsFields } from './license-texts-fields.tsx';

const messages = licenseDialogsMessages.texts;

export function RenameDialog(props: { license: LicenseDetails; onClose: () => void }) {
  const { license, onClose } = props;
  const change = useLicenseChange();
  const before = { name: license.name ?? '', customer: license.customer ?? '' };
  const [texts, setTexts] = useState(before);
  const isUnchanged =
    texts.name.trim() === before.name && texts.customer.trim() === before.customer;
  return (
    <ConfirmDialog
      title={messages.title}
      confirmLabel={messages.submit}
      isBlocked={isUnchanged}
      onClose={onClose}
      onConfirm={() => change(renameLicense(license.id, texts), messages.done)}
    >
      <LicenseTextsFields value={texts} onChange={setTexts} />
    </ConfirmDialog>
  );
}
