import {
  type ButtonProps,
  type CSSVariablesResolver,
  createTheme,
  type MenuProps,
  type ModalProps,
  type PasswordInputProps,
  type SelectProps,
  type TableProps,
  type TextInputProps,
  type TooltipProps,
} from '@mantine/core';
import { commonMessages } from '../messages/common.ts';

/**
 * A dense theme: 14 px text, one accent colour, hairlines, short transitions. It imports only the types of
 * components: `Button.extend` would load the code of each component with every page.
 */
export const theme = createTheme({
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace',
  primaryColor: 'indigo',
  // White text has enough contrast on this shade.
  primaryShade: 8,
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
    },
  },
  components: {
    Button: { defaultProps: { size: 'sm' } satisfies Partial<ButtonProps> },
    TextInput: { defaultProps: { size: 'sm' } satisfies Partial<TextInputProps> },
    PasswordInput: { defaultProps: { size: 'sm' } satisfies Partial<PasswordInputProps> },
    Select: {
      defaultProps: { size: 'sm', checkIconPosition: 'right' } satisfies Partial<SelectProps>,
    },
    Menu: {
      defaultProps: {
        // The placeholder is an element inside the menu that is no menu item, which screen readers do not expect.
        withInitialFocusPlaceholder: false,
        transitionProps: { duration: 100 },
      } satisfies Partial<MenuProps>,
    },
    Modal: {
      defaultProps: {
        centered: true,
        transitionProps: { duration: 120, transition: 'fade' },
        closeButtonProps: { 'aria-label': commonMessages.close },
      } satisfies Partial<ModalProps>,
      styles: { title: { fontSize: '16px', fontWeight: 600, lineHeight: '22px' } },
    },
    Table: {
      defaultProps: { verticalSpacing: 9, horizontalSpacing: 'sm' } satisfies Partial<TableProps>,
    },
    Tooltip: {
      defaultProps: {
        openDelay: 300,
        withArrow: true,
        events: { hover: true, focus: true, touch: true },
      } satisfies Partial<TooltipProps>,
    },
  },
});

/** The colours of both schemes. Dimmed text keeps a contrast of at least 4.5:1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a626b',
    '--mantine-color-placeholder': '#6a7178',
    '--mantine-color-error': '#c92a2a',
    // The background of a subtle button on hover. On the default, its text has a contrast of 4.1:1.
    '--mantine-color-indigo-light-hover': '#dbe4ff',
    '--steward-line': '#e6e8eb',
    '--steward-rail': '#f7f8f9',
    '--steward-hover': '#f4f5f7',
    '--steward-selected': '#edf1ff',
    '--steward-good': '#2b8a3e',
    '--steward-warn': '#b35c00',
    '--steward-bad': '#c92a2a',
    '--steward-pending': '#8490a1',
    '--steward-idle': '#697077',
    '--steward-accent': '#3b5bdb',
  },
  dark: {
    '--mantine-color-dimmed': '#a3a8ae',
    '--mantine-color-placeholder': '#8f959b',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-body': '#17181b',
    '--mantine-color-anchor': '#91a7ff',
    // The text of a subtle button. The default is nearly white.
    '--mantine-color-indigo-light-color': '#91a7ff',
    '--steward-line': '#2c2e33',
    '--steward-rail': '#1c1d21',
    '--steward-hover': '#212328',
    '--steward-selected': '#232c4d',
    '--steward-good': '#51cf66',
    '--steward-warn': '#ffa94d',
    '--steward-bad': '#ff8787',
    '--steward-pending': '#6b7686',
    '--steward-idle': '#9aa0a6',
    '--steward-accent': '#91a7ff',
  },
});
