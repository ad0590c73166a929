// The two functions that JSX of the browser half becomes.
export { Fragment, h } from 'preact'
