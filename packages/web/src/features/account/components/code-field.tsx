import { TextInput, type TextInputProps } from '@mantine/core';

/** A code of an authenticator app, or a backup code. */
export function CodeField(props: TextInputProps) {
  return (
    <TextInput
      label="Code"
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
