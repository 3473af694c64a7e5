internal import ORMStorage

/// A path of relationships from a row to the subject of a typed condition, or the error in it.
struct LinkPath: Sendable {
  /// The row that the path starts at, and the names of the relationships; empty for the row itself.
  private(set) var path: Operand.Path
  /// The error in the path; thrown at first use (clause 7.4).
  private(set) var error: StoreError?

  init(scope: Int) { path = Operand.Path([], scope: scope) }

  /// True if the path is empty, so that it ends at the row that it starts at.
  var isRow: Bool { path.names.isEmpty && error == nil }

  /// Returns the path, one relationship further.
  func following<Model: Persistable>(
    _ link: any AnyKeyPath & Sendable, of model: Model.Type
  ) -> LinkPath {
    var copy = self
    if let name = Model.entity.relationship(at: link)?.declaration.name {
      copy.path.names.append(name)
    } else if error == nil {
      copy.error = .notDeclared(link, "a relationship", entity: Model.entity.declared.name)
    }
    return copy
  }

  /// The operand at the end of the path.
  var operand: Operand { error.map { .invalid($0) } ?? .path(path) }

  /// Returns an attribute of the row at the end of the path, by its name.
  func operand(named name: String) -> Operand {
    if let error { return .invalid(error) }
    return .path(Operand.Path(path.names + [name], scope: path.scope))
  }
}

/// The property that a field reads, of the row at the end of a path of relationships.
struct FieldPath: Sendable {
  let linkPath: LinkPath
  /// The row's model, or the embedded struct inside it that has the property.
  let model: any Persistable.Type
  let path: any AnyKeyPath & Sendable
  /// The name of the embedded struct with a dot behind; empty for a property of the row.
  var prefix = ""

  /// The attribute; an invalid operand for a property that is none.
  var operand: Operand {
    let operand = model.operand(of: path, scope: linkPath.path.scope)
    if linkPath.isRow, prefix.isEmpty { return operand }
    switch operand {
    case .path(let path): return linkPath.operand(named: prefix + path.names[0])
    default: return linkPath.error.map { .invalid($0) } ?? operand
    }
  }

  /// The embedded struct that the property is; nil for any other.
  var embedded: EmbeddedStruct? { model.embeddedStruct(at: path) }

  /// A part of the property; nil where it has none.
  func part(_ part: any AnyKeyPath & Sendable) -> FieldPath? {
    if let embedded {
      return FieldPath(
        linkPath: linkPath, model: embedded.model, path: part, prefix: "\(prefix)\(embedded.name).")
    }
    guard let whole = AttributePaths.joined(path, part) else { return nil }
    return FieldPath(linkPath: linkPath, model: model, path: whole, prefix: prefix)
  }
}

/// The origin of a field's value, from which its parts are reached.
enum FieldOrigin: Sendable {
  /// It is worked out.
  case none
  /// A property of a row.
  case row(path: any AnyKeyPath & Sendable, scope: Int)
  /// A property of a row that is reached from there.
  indirect case fieldPath(FieldPath)
}
