public import ORM

extension JSONMapping {
  /// Maps an attribute to other names, another form, or both.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Snack.self)
  ///   .field(\.name, from: "title", "info.name")
  ///   .field(\.price, from: "price.amount", as: .number(orText: true), onNull: .useDefault)
  ///   .field(\.tags, from: "labels[*].name")
  /// ```
  ///
  /// A source is a path: `.` leads into an object, `[0]` to an element, and `[*]` to every element
  /// of an array, for an attribute that is an array. `a\\.b` in a literal is one name with a dot.
  /// The first source that has a value is read, and the first is written. An attribute of an
  /// embedded struct has a key path through it, `\.home.city`, and may come from anywhere.
  ///
  /// - Parameters:
  ///   - path: the attribute.
  ///   - sources: paths in JSON; the attribute's own name unless given.
  ///   - onNull: the treatment of null.
  ///   - onAbsent: the treatment of a missing member.
  ///   - direction: whether the rule holds for reading, writing or both.
  public func field<Value>(
    _ path: AttributePath<Model, Value>, from sources: String...,
    onNull: JSONAbsence = .setNil, onAbsent: JSONAbsence = .keep,
    when direction: JSONDirection = .always
  ) -> JSONMapping {
    field(path, sources, .plain, onNull, onAbsent, direction)
  }

  /// Maps an attribute to other names and another form.
  public func field<Value>(
    _ path: AttributePath<Model, Value>, from sources: String...,
    as transform: JSONTransform<Value>, onNull: JSONAbsence = .setNil,
    onAbsent: JSONAbsence = .keep, when direction: JSONDirection = .always
  ) -> JSONMapping {
    field(path, sources, transform.format, onNull, onAbsent, direction)
  }

  private func field(
    _ path: any AnyKeyPath & Sendable, _ sources: [String], _ format: FieldFormat,
    _ onNull: JSONAbsence, _ onAbsent: JSONAbsence, _ direction: JSONDirection
  ) -> JSONMapping {
    adding {
      $0.fields.append(
        FieldRule(
          property: .path(path), sources: sources, format: format, onNull: onNull,
          onAbsent: onAbsent,
          direction: direction))
    }
  }

  /// Leaves attributes and relationships out.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Snack.self).leaveOut(\.stock, when: .writing)
  /// ```
  public func leaveOut(
    _ paths: (any PartialKeyPath<Model> & Sendable)..., when direction: JSONDirection = .always
  ) -> JSONMapping {
    adding { $0.selections.append(.init(paths, isOnly: false, direction)) }
  }

  /// Leaves out all attributes and relationships but these.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Snack.self).only(\.name, \.price)
  /// ```
  public func only(
    _ paths: (any PartialKeyPath<Model> & Sendable)..., when direction: JSONDirection = .always
  ) -> JSONMapping {
    adding { $0.selections.append(.init(paths, isOnly: true, direction)) }
  }

  /// Writes no members for properties that are nil; without this rule their members are null.
  public func leavingOutNulls() -> JSONMapping { adding { $0.writesNulls = false } }

  /// Reads one object where a list of this model is expected, too.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Team.self).nested(\.players, with: JSONMapping(Player.self).oneOrMany())
  /// ```
  public func oneOrMany() -> JSONMapping { adding { $0.list = .oneOrMany } }

  /// Reads and writes lists of this model as an object whose member names are an attribute:
  /// `{"Chips": {…}, "Cake": {…}}`.
  ///
  /// ```swift
  /// let mapping = JSONMapping(Snack.self).keyed(\.name)
  /// ```
  ///
  /// - Parameter path: the attribute, a text or an integer; it is not among the members then.
  public func keyed<Value>(_ path: AttributePath<Model, Value>) -> JSONMapping {
    adding {
      $0.list = .keyed
      $0.keyedBy = .path(path)
    }
  }
}
