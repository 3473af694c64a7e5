internal import ORM

/// Returns the result that an operation passes to its completion handler.
func completed<Value: Sendable>(
  _ body: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    body { continuation.resume(with: $0) }
  }
}
