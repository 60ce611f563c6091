// Of Node's own types core knows nothing else; workerd has this class under the same name.

declare module 'node:async_hooks' {
  export class AsyncLocalStorage<Store> {
    run<Result>(store: Store, callback: () => Result): Result
    getStore(): Store | undefined
  }
}
