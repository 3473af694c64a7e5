import ORM

/// Ten integers in a Strata store, through the public API and `any Store`.
package struct StrataNumbers: NumberOperations {
  package let store: any Store

  package init(store: any Store) { self.store = store }

  package func fill(_ numbers: [NumberData]) throws { try store.insert(numbers.map(Numbers.init)) }

  package func scanNumbers() throws -> Int {
    try store.fetch(Numbers.all).reduce(0) { $0 &+ $1.data.checksum }
  }
}
