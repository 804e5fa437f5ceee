import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import type { NewLicense } from '../../../lib/licenses-api.ts';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';
import { CreateLicenseForm } from './create-license-form.tsx';
import { NewKey } from './new-key.tsx';

const messages = licenseDialogsMessages.create;

/** Creates a license, then shows its key and the instructions to connect a site. */
export function CreateLicenseDialog({ onClose }: { onClose: () => void }) {
  const [license, setLicense] = useState<NewLicense | null>(null);
  return (
    <Dialog
      title={license ? messages.keyTitle : messages.title}
      onClose={onClose}
      size="lg"
      // An accidental click or key press must not close the dialog: to see the key again, the user must confirm their
      // identity.
      closeOnClickOutside={license === null}
      closeOnEscape={license === null}
    >
      {license ? (
        <NewKey license={license} onClose={onClose} />
      ) : (
        <CreateLicenseForm onCreated={setLicense} onCancel={onClose} />
      )}
    </Dialog>
  );
}
