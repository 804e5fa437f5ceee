import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import type { NewLicense } from '../../../lib/licenses-api.ts';
import { CreateLicenseForm } from './create-license-form.tsx';
import { NewKey } from './new-key.tsx';

/**
 * Makes a license, then shows its key, this once, and how to connect a site with it. Also opened by
 * the overview while there are no sites.
 */
export function CreateLicenseDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<NewLicense | null>(null);
  return (
    <Dialog
      title={made ? 'Your license key' : 'Create license'}
      onClose={onClose}
      size="lg"
      // The key is shown once: a click beside it must not take it away.
      closeOnClickOutside={made === null}
      closeOnEscape={made === null}
    >
      {made ? (
        <NewKey license={made} onClose={onClose} />
      ) : (
        <CreateLicenseForm onMade={setMade} onCancel={onClose} />
      )}
    </Dialog>
  );
}
