/** Puts the plugin's one style sheet into the page. */
import css from './styles.css'

export function installSheet(page: Document): () => void {
  const sheet = page.createElement('style')
  sheet.dataset['plugin'] = 'dsh-plugin-model-failover'
  sheet.textContent = css
  page.head.append(sheet)
  return () => sheet.remove()
}
