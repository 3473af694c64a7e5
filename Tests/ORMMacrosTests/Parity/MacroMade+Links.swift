#if Macros
  internal import Foundation
  internal import ORM

  // Relationships of every kind.
  extension MacroMade {
    @Persistable
    struct Team: Hashable {
      @PrimaryKey(.generated) var id: Int64 = 0
      var name: String
      @Relationship(inverse: \Coach.team) var coach: ToOne<Coach> = ToOne()
      @Relationship(inverse: \Player.team) var players: ToMany<Player> = ToMany()
      @Relationship(inverse: \League.teams) var leagues: ToMany<League> = ToMany()
    }

    @Persistable
    struct Coach: Hashable {
      @PrimaryKey(.uuidV4) var id: UUID = .unassigned
      var name: String
      var team: ToOne<Team> = ToOne()
    }

    @Persistable
    struct Player: Hashable {
      @PrimaryKey var id: Int64
      var name: String
      var age: Int
      var team: ToOne<Team> = ToOne()
    }

    @Persistable
    struct League: Hashable {
      struct ID: CompositeKey {
        var country: String
        var number: Int
      }
      @PrimaryKey var id: ID
      @Relationship(ordered: true) var teams: ToMany<Team> = ToMany()
    }

    @Persistable
    struct Depot: Hashable {
      @PrimaryKey var id: Int64
      var yard: ToOne<Yard> = ToOne()
      @Relationship(ordered: true) var crates: ToMany<Crate> = ToMany()
      @Relationship(shared: true) var labels: ToMany<Label> = ToMany()
    }

    @Persistable
    struct Yard: Hashable {
      struct ID: CompositeKey {
        var land: String
        var number: Int
      }
      @PrimaryKey var id: ID
      var name: String
    }

    @Persistable
    struct Crate: Hashable {
      @PrimaryKey var id: Int64
      var content: String
    }

    @Persistable
    struct Label: Hashable {
      @PrimaryKey var id: String
    }

    @Persistable
    struct Course: Hashable {
      @PrimaryKey var id: Int64
      @Relationship(inverse: \Student.courses, through: Attendance.self)
      var students: ToMany<Student> = .notLoaded
    }

    @Persistable
    struct Student: Hashable {
      @PrimaryKey var id: String
      @Relationship(through: Attendance.self) var courses: ToMany<Course> = .notLoaded
    }

    @Persistable
    struct Attendance: Hashable {
      @PrimaryKey(.uuidV4) var id: UUID = .unassigned
      var mark: Int?
      @Attribute(.default(3)) var weight: Int
      @Relationship(targetDeleted: .cascade, required: true) var course: ToOne<Course>
      @Relationship(targetDeleted: .cascade, required: true) var student: ToOne<Student>
    }

    @Persistable
    struct Crew: Hashable {
      @PrimaryKey var id: Int64
      @Relationship(inverse: \Sailor.crew, count: 1...3) var sailors: ToMany<Sailor> = .notLoaded
      @Relationship(inverse: \Port.crews, count: ...2) var ports: ToMany<Port> = .notLoaded
    }

    @Persistable
    struct Sailor: Hashable {
      @PrimaryKey var id: Int64
      var crew: ToOne<Crew> = .notLoaded
    }

    @Persistable
    struct Port: Hashable {
      @PrimaryKey var id: Int64
      var crews: ToMany<Crew> = .notLoaded
    }

    @Persistable
    struct Folder: Hashable {
      @PrimaryKey(.generated) var id: Int64 = 0
      var name: String
      var parent: ToOne<Folder> = ToOne()
      @Relationship(inverse: \Folder.parent, delete: .cascade, ordered: true)
      var children: ToMany<Folder> = ToMany()
    }

    @Persistable
    struct Knot: Hashable {
      @PrimaryKey(.generated) var id: Int64 = 0
      @Relationship(targetDeleted: .cascade, required: true) var next: ToOne<Knot>
    }

    @Persistable
    struct Park: Hashable {
      @PrimaryKey var id: Int64
      var name: String
      @Relationship(inverse: \Visit.park, delete: .noAction) var visits: ToMany<Visit> = ToMany()
      @Relationship(inverse: \Tag.parks, delete: .noAction) var tags: ToMany<Tag> = ToMany()
    }

    @Persistable
    struct Visit: Hashable {
      @PrimaryKey var id: Int64
      var cost: Double?
      var park: ToOne<Park> = ToOne()
    }

    @Persistable
    struct Tag: Hashable {
      @PrimaryKey var id: String
      @Relationship(delete: .noAction) var parks: ToMany<Park> = ToMany()
    }
  }
#endif
