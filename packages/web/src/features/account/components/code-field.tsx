import { TextInput, type TextInputProps } from '@mantine/core';
import { accountMessages } from '../../../messages/account.ts';

/** A field for a one-time code or a backup code. */
export function CodeField(props: TextInputProps) {
  return (
    <TextInput
      label={accountMessages.code}
      autoComplete="one-time-code"
      spellCheck={false}
      autoCapitalize="none"
      maxLength={50}
      required
      withAsterisk={false}
      classNames={{ input: 'mono' }}
      {...props}
    />
  );
}
