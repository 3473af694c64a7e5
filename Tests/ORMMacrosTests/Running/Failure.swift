#if Macros
  internal import ORM
  internal import Testing

  /// Expects an error of Strata's with a code, about an entity.
  @discardableResult
  func expectFailure<Result>(
    _ code: StoreError.Code, _ entity: String,
    sourceLocation: Testing.SourceLocation = #_sourceLocation, _ body: () throws -> Result
  ) throws -> StoreError {
    let error = try #require(
      #expect(throws: StoreError.self, sourceLocation: sourceLocation) { _ = try body() },
      sourceLocation: sourceLocation)
    #expect(error.code == code, sourceLocation: sourceLocation)
    #expect(error.entity == entity, sourceLocation: sourceLocation)
    return error
  }
#endif
