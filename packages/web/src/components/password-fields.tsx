import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';

export const PASSWORD_LENGTH = { min: 12, max: 128 };

/** A password that is being chosen. Its length is all that is asked of it. */
export function NewPasswordInput(props: PasswordInputProps) {
  return (
    <PasswordField
      description={`At least ${PASSWORD_LENGTH.min} characters. A few words in a row are fine.`}
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
  const { min, max } = PASSWORD_LENGTH;
  if (password.length < min) return `Use at least ${min} characters.`;
  return password.length > max ? `Use at most ${max} characters.` : null;
}
