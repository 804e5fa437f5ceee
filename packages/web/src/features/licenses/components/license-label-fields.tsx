import { TextInput } from '@mantine/core';
import { LICENSE_LABEL_MAX_LENGTH } from '@steward/contract';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';

const messages = licenseDialogsMessages.edit;

export type LicenseLabels = { name: string; customer: string };

type Props = { value: LicenseLabels; onChange: (value: LicenseLabels) => void };

/** The optional name and customer of a license. */
export function LicenseLabelFields({ value, onChange }: Props) {
  return (
    <>
      <TextInput
        label={messages.name}
        description={messages.nameHint}
        data-autofocus
        size="sm"
        maxLength={LICENSE_LABEL_MAX_LENGTH}
        value={value.name}
        onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
      />
      <TextInput
        label={messages.customer}
        description={messages.customerHint}
        size="sm"
        maxLength={LICENSE_LABEL_MAX_LENGTH}
        value={value.customer}
        onChange={(event) => onChange({ ...value, customer: event.currentTarget.value })}
      />
    </>
  );
}
