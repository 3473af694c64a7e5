internal import ORMStorage

/// The way from a row to what a typed condition names: the relationships in between, or why there is
/// no such way.
struct FieldWay: Sendable {
  /// The row it starts at, and the names of the relationships; empty for the row itself.
  private(set) var path: Operand.Path
  /// The error in the path; thrown at first use (clause 7.4).
  private(set) var error: StoreError?

  init(scope: Int) { path = Operand.Path([], scope: scope) }

  /// True if it leads nowhere else than to the row it starts at.
  var isRow: Bool { path.names.isEmpty && error == nil }

  /// The way one relationship further.
  func following<Model: Persistable>(
    _ link: any AnyKeyPath & Sendable, of model: Model.Type
  ) -> FieldWay {
    var copy = self
    if let name = Model.entity.relationship(at: link)?.declaration.name {
      copy.path.names.append(name)
    } else if error == nil {
      copy.error = StoreError(
        .unknownAttribute, "a key path names a property that is not a relationship of the entity",
        entity: Model.entity.declared.name)
    }
    return copy
  }

  /// The operand at the end of the path.
  var operand: Operand { error.map { .invalid($0) } ?? .path(path) }

  /// An attribute of what the way leads to, by its name.
  func operand(named name: String) -> Operand {
    if let error { return .invalid(error) }
    return .path(Operand.Path(path.names + [name], scope: path.scope))
  }
}

/// The property that a field reads, of the row that a way leads to.
struct FieldPlace: Sendable {
  let way: FieldWay
  /// The row's model, or the embedded struct inside it that has the property.
  let model: any Persistable.Type
  let path: any AnyKeyPath & Sendable
  /// The name of the embedded struct with a dot behind; empty for a property of the row.
  var prefix = ""

  /// The attribute; an invalid operand for a property that is none.
  var operand: Operand {
    let operand = model.operand(of: path, scope: way.path.scope)
    if way.isRow, prefix.isEmpty { return operand }
    switch operand {
    case .path(let path): return way.operand(named: prefix + path.names[0])
    default: return way.error.map { .invalid($0) } ?? operand
    }
  }

  /// The embedded struct that the property is; nil for any other.
  var embedded: EmbeddedPlace? { model.embeddedPlace(at: path) }

  /// A part of the property; nil where it has none.
  func part(_ part: any AnyKeyPath & Sendable) -> FieldPlace? {
    if let embedded {
      return FieldPlace(
        way: way, model: embedded.model, path: part, prefix: "\(prefix)\(embedded.name).")
    }
    guard let whole = AttributePaths.joined(path, part) else { return nil }
    return FieldPlace(way: way, model: model, path: whole, prefix: prefix)
  }
}

/// The origin of a field's value, from which its parts are reached.
enum FieldOrigin: Sendable {
  /// It is worked out.
  case none
  /// A property of a row.
  case row(path: any AnyKeyPath & Sendable, scope: Int)
  /// A property of what is reached from there.
  indirect case place(FieldPlace)
}
