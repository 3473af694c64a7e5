internal import ORM

extension ObjectReader {
  /// Returns an object with the attributes of another and of JSON; nil if there are faults, or a hook
  /// leaves the JSON out.
  func update(
    _ model: Model, _ scanner: inout JSONScanner, depth: Int, name: String?
  ) throws -> Model? {
    let row: BufferedRow
    do {
      row = try BufferedRow(encoding: model)
    } catch {
      throw StoreError.mapping(error, of: model)
    }
    setBase(row.values)
    return try read(&scanner, depth: depth, name: name)
  }

  /// Copies the values that JSON gave from an object that was made of it.
  ///
  /// Properties are assigned by their key paths, so that others keep their values. A model with a
  /// property that cannot be assigned is replaced, with the links of the old one.
  func copyGiven(from updated: Model, to model: inout Model) throws {
    let changed = (0..<plan.columns.count).filter { cells[$0].isGiven || cells[$0].isSet(base[$0]) }
    var copy = model
    if let paths = Self.paths(of: changed),
      paths.allSatisfy({ Self.assign($0, from: updated, to: &copy, isTrial: true) })
    {
      for path in paths { _ = Self.assign(path, from: updated, to: &model, isTrial: false) }
    } else {
      model = updated
      var models = [model]
      for end in Model.entity.relationships {
        end.copy(from: [copy], to: &models, keepsSet: false)
      }
      model = models[0]
    }
    for link in modelLinks { link.apply(to: &model) }
  }

  /// The key paths of attributes, that of the whole struct for a part of one; nil if any has none.
  private static func paths(of columns: [Int]) -> [any AnyKeyPath & Sendable]? {
    var paths: [any AnyKeyPath & Sendable] = []
    let structs = Model.entity.embedded.filter { !$0.name.contains(".") }
    var known: Set<String> = []
    for column in columns {
      if let part = structs.first(where: { $0.columns.contains(column) }) {
        if known.insert(part.name).inserted { paths.append(part.path) }
      } else if let path = Model.entity.paths.first(where: { $0.position == column })?.path {
        paths.append(path)
      } else {
        return nil
      }
    }
    return paths
  }

  /// Assigns a property of one object to another; false if it cannot be assigned.
  private static func assign(
    _ path: AnyKeyPath, from source: Model, to target: inout Model, isTrial: Bool
  ) -> Bool {
    func assign<Value>(_ type: Value.Type) -> Bool {
      guard let path = path as? WritableKeyPath<Model, Value> else { return false }
      if !isTrial { target[keyPath: path] = source[keyPath: path] }
      return true
    }
    return _openExistential(Swift.type(of: path).valueType, do: assign)
  }
}

extension JSONCell {
  /// Returns true if the cell was set to another value than it had before, without JSON.
  fileprivate func isSet(_ before: JSONCell) -> Bool {
    kind != before.kind || bits != before.bits
  }
}
