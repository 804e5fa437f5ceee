import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '@steward/contract';
import { IconEye, IconEyeOff } from '@tabler/icons-react';

/** A password that is being chosen. Its length is checked here; whether it is easy to guess, by the panel. */
export function NewPasswordInput(props: PasswordInputProps) {
  return (
    <PasswordField
      description={`At least ${PASSWORD_MIN_LENGTH} characters. A few words in a row are fine.`}
      autoComplete="new-password"
      {...props}
    />
  );
}

export function PasswordField(props: PasswordInputProps) {
  return (
    <PasswordInput
      autoComplete="current-password"
      required
      withAsterisk={false}
      visibilityToggleIcon={({ reveal }) =>
        reveal ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />
      }
      visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password', tabIndex: 0 }}
      {...props}
    />
  );
}

export function passwordFault(password: string): string | null {
  const { length } = password;
  if (length < PASSWORD_MIN_LENGTH) return `Use at least ${PASSWORD_MIN_LENGTH} characters.`;
  return length > PASSWORD_MAX_LENGTH ? `Use at most ${PASSWORD_MAX_LENGTH} characters.` : null;
}
