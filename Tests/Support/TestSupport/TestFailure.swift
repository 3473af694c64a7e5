package import ORMCore

/// A failure of the tests' own tools.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Returns the `StoreError` that `body` throws, or nil if it throws nothing.
///
/// The code of another error is its description, so that it equals no code of a store.
package func storeError(_ body: () throws -> Void) -> StoreError? {
  do {
    try body()
    return nil
  } catch {
    let another = StoreError.Code(rawValue: "another error: \(error)")
    return error as? StoreError ?? StoreError(another, "the test met another error")
  }
}

/// Returns the code of the `StoreError` that `body` throws, or nil if it throws nothing.
package func code(_ body: () throws -> Void) -> StoreError.Code? { storeError(body)?.code }

/// Returns the `StoreError` that `body` throws.
package func thrownError(_ body: () throws -> Void) throws -> StoreError {
  do {
    try body()
  } catch let error as StoreError {
    return error
  } catch {
    throw TestFailure("another error: \(error)")
  }
  throw TestFailure("nothing was thrown")
}
