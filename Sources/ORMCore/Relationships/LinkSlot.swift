/// The location of a link in its model.
///
/// A stored property is reached by its offset in memory, which takes a few instructions where a key
/// path takes hundreds: links are read and set for every object of a graph. A property without an
/// offset, such as a computed one, is reached by the key path.
@usableFromInline
package struct LinkSlot<Model, Value: Sendable>: Sendable {
  @usableFromInline package let path: WritableAttributePath<Model, Value>
  /// The offset of the property in the model; nil where the path is not to a stored property.
  ///
  /// Invariant of the unsafe accesses below: `MemoryLayout.offset(of:)` gives the offset of a stored
  /// property of type `Value` inside of a `Model`. So memory at that offset of an initialized `Model`
  /// is an initialized `Value`, bound to that type, for as long as the pointer to the model is valid.
  @usableFromInline let offset: Int?

  package init(_ path: WritableAttributePath<Model, Value>) {
    self.path = path
    offset = MemoryLayout<Model>.offset(of: path)
  }

  /// The link of a model.
  @inlinable
  package func value(in model: Model) -> Value {
    guard let offset else { return model[keyPath: path] }
    return withUnsafePointer(to: model) {
      UnsafeRawPointer($0).advanced(by: offset).assumingMemoryBound(to: Value.self).pointee
    }
  }

  /// Changes the link inside a model, without a copy of it.
  @inlinable
  package func change(in model: inout Model, _ body: (inout Value) -> Void) {
    guard let offset else { return body(&model[keyPath: path]) }
    withUnsafeMutablePointer(to: &model) {
      body(
        &UnsafeMutableRawPointer($0).advanced(by: offset).assumingMemoryBound(to: Value.self)
          .pointee)
    }
  }

  /// Sets the link of a model.
  @inlinable
  package func set(_ value: Value, in model: inout Model) {
    guard let offset else {
      model[keyPath: path] = value
      return
    }
    withUnsafeMutablePointer(to: &model) {
      UnsafeMutableRawPointer($0).advanced(by: offset).assumingMemoryBound(to: Value.self)
        .pointee = value
    }
  }
}
