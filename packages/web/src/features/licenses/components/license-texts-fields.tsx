import { TextInput } from '@mantine/core';
import { LICENSE_LABEL_MAX_LENGTH } from '@steward/contract';
import { licenseDialogsMessages } from '../../../messages/license-dialogs.ts';

const messages = licenseDialogsMessages.texts;

export type LicenseTexts = { name: string; customer: string };

type Props = { value: LicenseTexts; onChange: (value: LicenseTexts) => void };

/** The optional name and customer of a license. */
export function LicenseTextsFields({ value, onChange }: Props) {
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
