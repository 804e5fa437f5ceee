import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

type AnchorLinkProps = Omit<ComponentProps<'a'>, keyof AnchorProps> & AnchorProps;
type ButtonLinkProps = Omit<ComponentProps<'a'>, keyof ButtonProps> & ButtonProps;

/** A link to a page of the panel, with typed paths and parameters. */
export const TextLink = createLink((props: AnchorLinkProps) => <Anchor {...props} />);

/** The same link, styled as a button. */
export const LinkButton = createLink((props: ButtonLinkProps) => (
  <Button component="a" {...props} />
));
