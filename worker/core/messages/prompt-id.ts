/** A scheduled prompt has no id of a client's: its place in the log names it. */
export const toPromptId = (seq: number): string => `prompt.${seq}`
