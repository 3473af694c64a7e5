internal import ORMStorage

/// Embedded structs as values among those of their container, for the mapper of models that are
/// Codable.
enum EmbeddedMapping {
  /// The struct in its container's row; nil where it may be nil and is.
  ///
  /// - Throws: `decoding`, naming the attribute as the container does.
  static func value<R: RowReader & ~Copyable>(
    of part: EmbeddedStruct, from row: UnsafePointer<R>
  ) throws -> (any Persistable)? {
    func read<Value: Persistable>(_ model: Value.Type) throws -> Value {
      let inner = EmbeddedRow(row, offset: part.start)
      do {
        return try Value(row: inner)
      } catch {
        throw named(
          StoreError.mapping(
            error, of: Value.self, row: inner, entity: "", key: [],
            attributes: Value.entity.declared.attributes.map(\.name)), part)
      }
    }
    if part.isOptional {
      switch try row.pointee.value(at: part.columns.lowerBound) {
      case .null: return nil
      case .bool(true): break
      default:
        throw StoredValue.unexpected(
          "the attribute that marks a struct as present"
        ).filling(attributes: [part.name])
      }
    }
    return try read(part.model)
  }

  /// The values of a struct in its container's columns.
  ///
  /// - Throws: `invalidValue`, naming the attribute as the container does.
  static func values<Value: Persistable>(
    of value: Value, at part: EmbeddedStruct
  ) throws -> [StoredValue] {
    do {
      let values = try BufferedRow(encoding: value).values
      return part.isOptional ? [.bool(true)] + values : values
    } catch {
      throw named(StoreError.mapping(error, of: value), part)
    }
  }

  /// An error of a struct in the words of its container.
  private static func named(_ error: StoreError, _ part: EmbeddedStruct) -> StoreError {
    var error = error
    error.entity = nil
    error.key = []
    error.attributes = error.attributes.map { "\(part.name).\($0)" }
    return error
  }
}
